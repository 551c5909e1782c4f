import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { link } from '../../src/lib/halo/check/program.ts'
import { compilePolicies, DETECTORS, type PolicySet } from '../../src/lib/halo/policy/index.ts'
import { isIban, luhn } from '../../src/lib/halo/policy/numbers.ts'
import { parse } from '../../src/lib/halo/syntax/index.ts'

function policies(rules: string): PolicySet {
  return compilePolicies(['P'], link(parse(`policy P : ${rules}`)))
}
function redacted(kind: string, text: string): unknown {
  return (policies(`Redact("${kind}")`).inputText(text) as { text: string }).text
}

describe('what Redact knows by name', () => {
  test.each([
    ['me@example.com', '[redacted]'], ['Mail: first.last+tag@sub.example.co.uk.', 'Mail: [redacted].'], ['<a@b.de>, c@d.fr', '<[redacted]>, [redacted]'], ['größe@müller.de', '[redacted]'], ['@home a@b x@ @x.de', '@home a@b x@ @x.de'], ['git@github.com:a/b', '[redacted]:a/b'], ['v1@1.2.3', 'v1@1.2.3'],
    ["o'hara@example.ie", '[redacted]'],
  ])('email: %s', (text, expected) => {
    expect(redacted('email', text)).toBe(expected)
  })

  // Numbers set aside for fiction and tests: 555-01xx (NANP), 01632 and 07700 900 (Ofcom), 030 23125 (Bundesnetzagentur).
  test.each([
    ['+1 202-555-0143', '[redacted]'], ['call (202) 555-0143 now', 'call [redacted] now'], ['202.555.0143', '[redacted]'], ['555-0143', '[redacted]'], ['01632 960123', '[redacted]'], ['+44 7700 900123', '[redacted]'], ['0049 30 23125 123', '[redacted]'], ['+49 (0)30 23125-123', '[redacted]'], ['030/23125123', '[redacted]'],
    ['202-555-0143 202-555-0144', '[redacted] [redacted]'], ['2024-01-15', '2024-01-15'], ['15.01.2024', '15.01.2024'], ['192.168.100.200', '192.168.100.200'], ['3.14159265358', '3.14159265358'], ['version 1.2.3', 'version 1.2.3'], ['in 1999 and 2000', 'in 1999 and 2000'], ['id 1700000000000', 'id 1700000000000'], ['1 2 3 4 5', '1 2 3 4 5'],
    ['2024-01-15 10:30:00', '2024-01-15 10:30:00'],
  ])('phone: %s', (text, expected) => {
    expect(redacted('phone', text)).toBe(expected)
  })

  // Test numbers that Stripe, Adyen and PayPal publish.
  const cards = ['4242424242424242', '4000056655665556', '5555555555554444', '2223003122003222', '378282246310005', '6011111111111117', '3056930009020004', '36227206271667', '3566002020360505', '6200000000000005', '6205500000000000004', '4222222222222', '371449635398431', '30569309025904', '5019717010103742']
  test.each(cards)('card %s', (card) => {
    expect(luhn(card)).toBe(true)
    expect(redacted('credit_card', `pay ${card}.`)).toBe('pay [redacted].')
    const grouped = card.replace(/(\d{4})(?=\d)/g, '$1 ')
    expect(redacted('credit_card', grouped)).toBe('[redacted]')
    expect(redacted('credit_card', grouped.replaceAll(' ', '-'))).toBe('[redacted]')
    expect(redacted('credit_card', `12 ${card}`)).toMatch(/^(12 )?\[redacted\]$/)
    const wrong = card.slice(0, -1) + String((Number(card.at(-1)) + 1) % 10)
    expect(redacted('credit_card', wrong)).toBe(wrong)
  })
  test.each(['0000000000000000', '1234567890', '4242 4242 4242', '42424242424242424242424242424242', '4242  4242  4242  4242'])('no card: %s', (text) => {
    expect(redacted('credit_card', text)).toBe(text)
  })

  // Examples of the IBAN registry.
  const ibans = ['GB29NWBK60161331926819', 'DE89370400440532013000', 'FR1420041010050500013M02606', 'NL91ABNA0417164300', 'NO9386011117947', 'CH9300762011623852957', 'ES9121000418450200051332', 'MT84MALT011000012345MTLCAST001S', 'SA0380000000608010167519', 'BE68539007547034', 'PL61109010140000071219812874', 'AT611904300234573201']
  test.each(ibans)('IBAN %s', (iban) => {
    expect(isIban(iban)).toBe(true)
    expect(redacted('iban', `to ${iban}, please`)).toBe('to [redacted], please')
    expect(redacted('iban', `to ${iban.replace(/(.{4})(?=.)/g, '$1 ')}, please`)).toBe('to [redacted], please')
    expect(redacted('iban', iban.toLowerCase())).toBe('[redacted]')
    const wrong = iban.slice(0, 2) + String((Number(iban.slice(2, 4)) % 97) + 1).padStart(2, '0') + iban.slice(4)
    expect(redacted('iban', wrong)).toBe(wrong)
    expect(redacted('iban', `X${iban}`)).toBe(`X${iban}`)
  })

  const letters = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEf'
  test.each([`sk-${letters}`, `sk-ant-api03-${letters}_${letters}-${letters}`, `sk-proj-${letters}`, `ghp_${letters}`, `github_pat_${letters}`, 'AKIAIOSFODNN7EXAMPLE', `AIza${letters.slice(0, 35)}`, `xoxb-123456789012-${letters}`, `hf_${letters}`, `glpat-${letters.slice(0, 20)}`, `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${letters}`])('API key %s', (key) => {
    expect(redacted('api_key', `key="${key}".`)).toBe('key="[redacted]".')
    expect(redacted('api_key', `KEY=${key}\n`)).toBe('KEY=[redacted]\n')
  })
  test.each(['sk-short', 'risk-of-something-that-is-long-enough', 'the AKIA prefix', 'eyJ is how they start', `eyJ${letters}`])('no API key: %s', (text) => {
    expect(redacted('api_key', text)).toBe(text)
  })

  test.each([
    ['from 192.0.2.1 to 198.51.100.255:8080', 'from [redacted] to [redacted]:8080'], ['2001:db8::8a2e:370:7334', '[redacted]'], ['[2001:db8::1]:443', '[[redacted]]:443'], ['::1', '[redacted]'], ['::ffff:192.0.2.128', '[redacted]'], ['fe80::1%eth0', '[redacted]%eth0'], ['2001:0db8:0000:0000:0000:ff00:0042:8329.', '[redacted].'],
    ['256.1.1.1', '256.1.1.1'], ['1.2.3', '1.2.3'], ['1.2.3.4.5', '1.2.3.4.5'], ['12:30:45', '12:30:45'], ['std::vector', 'std::vector'], ['a::b::c', 'a::b::c'], ['00:1a:2b:3c:4d:5e', '00:1a:2b:3c:4d:5e'], ['192.0.2.1, 192.0.2.2.', '[redacted], [redacted].'],
  ])('ip: %s', (text, expected) => {
    expect(redacted('ip', text)).toBe(expected)
  })

  test('each reads any text once: ranges in order, within it, in time', () => {
    const unit = fc.constantFrom('1', '4', '.', ':', '@', '-', ' ', 'a', 'DE', 'eyJ', 'sk-', '+', '(', '::', 'é', '😀', '\n')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 80 }), (text) => {
        for (const detect of Object.values(DETECTORS)) {
          let done = 0
          for (const [from, to] of detect(text)) {
            expect(from).toBeGreaterThanOrEqual(done)
            expect(to).toBeGreaterThan(from)
            done = to
          }
          expect(done).toBeLessThanOrEqual(text.length)
        }
      }),
      { numRuns: 2_000 },
    )
    for (const part of ['1', '4242 ', '1-', '+1', '(', 'a@', '@', 'a.', 'a@b.', 'DE12', 'de89 3704 ', 'eyJ-', 'sk-', 'sk-aaaaaaaaaaaaaaaaaaaa-', 'eyJa.', '1.', '::', 'a:', '255.', ' ', 'é@', '555-01', '+49 ']) {
      const text = part.repeat(Math.ceil(100_000 / part.length))
      for (const [name, detect] of Object.entries(DETECTORS)) {
        const started = performance.now()
        detect(text)
        expect([name, part, performance.now() - started < 1_500]).toEqual([name, part, true])
      }
    }
  }, 60_000)
})

describe('Redact and Block by side', () => {
  const set = policies('Redact("email", on: input) & Redact("x+y", on: output) & Block("TOP", on: input) & Block("END", on: output) & Redact("both")')
  test('input', () => {
    expect(set.inputText('me@example.com xxy both END')).toEqual({ text: '[redacted] xxy [redacted] END' })
    expect(set.inputText('TOP secret')).toEqual({ text: '[withheld: policy "P" blocks this content]', blocked: { policy: 'P', reason: 'the text matches the blocked pattern TOP' } })
    expect(set.promptBlocked('TOP secret')).toMatchObject({ policy: 'P' })
    expect(set.promptBlocked('END')).toBe(undefined)
  })
  test('output', () => {
    expect(set.outputText('me@example.com xxy both TOP')).toEqual({ text: 'me@example.com [redacted] [redacted] TOP' })
    expect(set.outputText('THE END')).toMatchObject({ blocked: { policy: 'P' } })
    expect(set.filtersOutput).toBe(true)
    expect(policies('Redact("email", on: input) & Block("x", on: input)').filtersOutput).toBe(false)
  })
  test('a Block sees the text before anything is redacted', () => {
    expect(policies('Redact("secret") & Block("secret")').inputText('secret')).toMatchObject({ blocked: { policy: 'P' } })
  })
})

describe('what events may show', () => {
  const set = policies('Redact("email", on: input) & Redact("credit_card", on: output) & Redact("k\\\\d")')
  test('all rules, whatever their side, at any depth, keys and numbers too', () => {
    expect(set.redactValue({ to: ['me@example.com', { n: 4242424242424242, ok: 5, 'you@example.com': true }], k1: 1, k2: 2, none: null })).toEqual({
      to: ['[redacted]', { n: '[redacted]', ok: 5, '[redacted]': true }], '[redacted]': 1, '[redacted] 2': 2, none: null,
    })
    expect(set.redactValue('me@example.com')).toBe('[redacted]')
    expect(set.redactValue(null)).toBe(null)
  })
  test('the value itself is left as it was', () => {
    const value = { a: ['me@example.com'] }
    set.redactValue(value)
    expect(value).toEqual({ a: ['me@example.com'] })
  })
  test('a Block anywhere withholds the whole', () => {
    const blocking = policies('Block("TOP", on: output)')
    expect(blocking.redactValue({ a: [{ b: 'x TOP' }] })).toBe('[withheld: policy "P" blocks this content]')
    expect(blocking.redactValue({ a: { TOP: 1 } })).toBe('[withheld: policy "P" blocks this content]')
    expect(blocking.redactArgs({ a: 'TOP' })).toEqual({ withheld: '[withheld: policy "P" blocks this content]' })
    expect(blocking.redactArgs({ a: 'b' })).toEqual({ a: 'b' })
  })
  test('a pattern that spans fields finds them in the JSON of the whole', () => {
    const across = policies(`Redact('"password":"[^"]*"')`)
    expect(across.redactValue({ user: 'me', password: 'secret' })).toBe('{"user":"me",[redacted]}')
    expect(policies(`Block('"role":"admin"')`).redactValue({ role: 'admin' })).toMatch(/withheld/)
  })
  test('what is nested without end is withheld', () => {
    const loop: Record<string, unknown> = {}
    loop['x'] = loop
    expect(set.redactValue(loop)).toMatch(/withheld/)
  })
  test('nothing that is redacted in a text is left in a value that holds it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('me@example.com', '4242424242424242', 'k7'), fc.nat(), (json, secret, where) => {
        const text = JSON.stringify([json, { [`x ${secret}`]: [secret, { y: `a ${secret} b` }] }, where])
        expect(JSON.stringify(set.redactValue(JSON.parse(text)))).not.toContain(secret)
      }),
    )
  })
  test('a __proto__ key stays a key', () => {
    const shown = set.redactValue(JSON.parse('{"__proto__":{"a":"me@example.com"}}')) as object
    expect(JSON.stringify(shown)).toBe('{"__proto__":{"a":"[redacted]"}}')
  })
})
