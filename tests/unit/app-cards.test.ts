import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { visiblePieces, hasHidden } from '../../src/lib/app/cards/visible.ts'
import { shellLines } from '../../src/lib/app/cards/shell.ts'
import { fieldsOf } from '../../src/lib/app/cards/input-fields.ts'
import { Gate } from '../../src/lib/app/cards/gate.svelte.ts'
import type { InterruptRequest } from '../../src/lib/halo/run/types.ts'

const request = (over: Partial<InterruptRequest> = {}): InterruptRequest => ({
  channel: 'approval', message: 'Allow Clerk to call Files.write with {}?', runId: 'r', path: '1/step:1/call:0',
  named: { target: 'Files.write', args: { path: 'a.md' }, policy: 'Careful', agent: 'Clerk', effect: 'write' }, ...over,
})

describe('hidden and look-alike characters', () => {
  test('a right-to-left override in a file name is marked with its code point', () => {
    const marks = visiblePieces('report\u202Efdp.exe').filter((piece) => piece.mark)
    expect(marks).toEqual([{ text: '\u202E', mark: 'U+202E', kind: 'hidden' }])
  })
  test('a Cyrillic letter among Latin ones is marked as a look-alike', () => {
    expect(visiblePieces('p\u0430ypal.com').filter((piece) => piece.mark)).toEqual([{ text: '\u0430', mark: 'U+0430', kind: 'alike' }])
  })
  test('an ordinary Russian or Greek word is left alone', () => {
    expect(hasHidden('Привет мир, Καλημέρα')).toBe(false)
  })
  test('zero-width characters, tags and full-width forms are marked, line ends and tabs are not', () => {
    expect(visiblePieces('a\u200Bb\u{E0041}c\uFF41\n\td').filter((piece) => piece.mark).map((piece) => piece.mark)).toEqual(['U+200B', 'U+E0041', 'U+FF41'])
  })
  test('the pieces always make the text again', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => visiblePieces(text).map((piece) => piece.text).join('') === text))
  })
})

describe('shell commands in parts', () => {
  test('a pipeline and a list are one line a command', () => {
    const lines = shellLines('cd app && FOO=1 bun test | tail -40; rm "a b" > out.txt')
    expect(lines.map((line) => [line.joint, ...line.tokens.map((t) => t.text)])).toEqual([
      ['', 'cd', 'app'], ['&&', 'FOO=1', 'bun', 'test'], ['|', 'tail', '-40'], [';', 'rm', '"a b"', '>', 'out.txt'],
    ])
    expect(lines[1]?.tokens[0]?.kind).toBe('assignment')
    expect(lines[3]?.tokens.slice(2).map((t) => t.kind)).toEqual(['redirect', 'redirect'])
  })
  test('operators inside quotes and substitutions split nothing', () => {
    expect(shellLines(`echo "a && b" 'c | d' $(e; f "g)") \`h; i\``)).toHaveLength(1)
  })
  test('any text comes apart without end or loss of visible characters', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const seen = shellLines(text).flatMap((line) => line.tokens.map((t) => t.text)).join('')
        return seen.length <= text.length
      }),
    )
  })
})

describe('the gate of questions', () => {
  test('the first answer wins and a second is told so', async () => {
    const gate = new Gate()
    const answer = gate.ask(request())
    const [card] = gate.open
    if (!card) throw new Error('no card')
    expect(gate.answer(card, card.digest, { said: 'allowed', payload: { approved: true } })).toBe(true)
    expect(gate.answer(card, card.digest, { said: 'denied', payload: { approved: false } })).toBe(false)
    expect(card.notice).toContain('allowed')
    expect(await answer).toEqual({ approved: true })
  })
  test('an answer to another call than the one shown is not used', () => {
    const gate = new Gate()
    void gate.ask(request())
    const [card] = gate.open
    if (!card) throw new Error('no card')
    expect(gate.answer(card, 'another', { said: 'allowed', payload: { approved: true } })).toBe(false)
    expect(card.state).toBe('open')
  })
  test('"every call of this tool" answers later calls of the same agent under the same policy only', async () => {
    const gate = new Gate()
    void gate.ask(request())
    const [card] = gate.open
    if (!card) throw new Error('no card')
    gate.answer(card, card.digest, { said: 'allowed', payload: { approved: true } })
    gate.remember(card, 'tool')
    expect(await gate.ask(request({ path: '1/step:2/call:0', named: { ...request().named, args: { path: 'b.md' } } }))).toEqual({ approved: true })
    void gate.ask(request({ path: '2/step:1/call:0', named: { ...request().named, agent: 'Other' } }))
    expect(gate.open).toHaveLength(1)
  })
  test('"this exact call" answers no call with other arguments', () => {
    const gate = new Gate()
    void gate.ask(request())
    const [card] = gate.open
    if (!card) throw new Error('no card')
    gate.answer(card, card.digest, { said: 'allowed', payload: { approved: true } })
    gate.remember(card, 'exact')
    void gate.ask(request({ path: '1/step:2/call:0', named: { ...request().named, args: { path: 'b.md' } } }))
    expect(gate.open).toHaveLength(1)
  })
  test('an answer to a card from the journal is given once the run asks again', async () => {
    const gate = new Gate()
    let taken = 0
    gate.onRestoredAnswer = () => taken++
    const card = gate.restore({ id: 'approval@1', path: request().path, waitingFor: 'approval', request: request() })
    gate.answer(card, card.digest, { said: 'allowed', payload: { approved: true } })
    expect(taken).toBe(1)
    expect(await gate.ask(request())).toEqual({ approved: true })
  })
  test('Stop closes all open cards, and they take no answer any more', () => {
    const gate = new Gate()
    void gate.ask(request())
    void gate.ask(request({ path: '1/step:1/call:1' }))
    const [card] = gate.open
    gate.stop()
    expect(gate.open).toHaveLength(0)
    expect(card && gate.answer(card, card.digest, { said: 'allowed', payload: true })).toBe(false)
  })
  test('a loop that asks the same again at the same place gets a card of its own', () => {
    const gate = new Gate()
    void gate.ask(request())
    const [card] = gate.open
    if (!card) throw new Error('no card')
    gate.answer(card, card.digest, { said: 'allowed', payload: { approved: true } })
    void gate.ask(request())
    expect(gate.open).toHaveLength(1)
  })
})

describe('forms from a schema', () => {
  test('each property is a field of its kind, and what is not an object is one field', () => {
    const form = fieldsOf({ type: 'object', required: ['n'], properties: { n: { type: 'integer' }, pick: { enum: ['a', 'b'] }, yes: { type: 'boolean' } } })
    expect(form.fields.map((field) => [field.name, field.kind, field.required])).toEqual([['n', 'number', true], ['pick', 'choice', false], ['yes', 'boolean', false]])
    expect(fieldsOf(undefined)).toMatchObject({ single: true, fields: [{ kind: 'text' }] })
  })
})
