import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { link } from '../../src/lib/halo/check/program.ts'
import { RULES as SIGNATURES } from '../../src/lib/halo/check/signatures.ts'
import { HaloError } from '../../src/lib/halo/errors.ts'
import { compilePolicies, matchesGlob, matchesSide, parseGlob, refusalText, RULES, type CallFacts, type PolicySet, type RegexRunner } from '../../src/lib/halo/policy/index.ts'
import { parse } from '../../src/lib/halo/syntax/index.ts'

function policies(source: string, names: string[] = ['P'], regexRunner?: RegexRunner): PolicySet {
  return compilePolicies(names, link(parse(source)), { regexRunner })
}
function call(target: string, args: Record<string, unknown> = {}, more: Partial<CallFacts> = {}): CallFacts {
  return { target, args, normalised: args, effect: 'read', ...more }
}
function errorOf(source: string, names?: string[], runner?: RegexRunner): HaloError {
  try {
    policies(source, names, runner)
  } catch (error) {
    if (error instanceof HaloError) return error
    throw error
  }
  throw new Error('it compiled')
}

describe('globs', () => {
  test('the star stays within its side', () => {
    const glob = parseGlob('Co*.re*d')
    if ('fault' in glob) throw new Error(glob.fault)
    expect(['Code.read', 'Code.reload_and', 'Co.red', 'Code.Read', 'Code.reads', 'Xode.read', 'Code', 'code.read', 'Code.x.read'].map((target) => matchesGlob(glob, target))).toEqual([true, true, true, false, false, false, false, false, false])
  })

  test('a method may have dots of its own: only the first one parts', () => {
    const glob = parseGlob('Mcp.files.*')
    if ('fault' in glob) throw new Error(glob.fault)
    expect(matchesGlob(glob, 'Mcp.files.read')).toBe(true)
    expect(matchesGlob(glob, 'Mcp.other.read')).toBe(false)
  })

  test.each(['', '*', 'Code', 'Code.', '.read', '!Code.read', 'Code.{read,write}', 'Code.re?d', 'Code.[rw]*', 'Co de.read', 'Code.read, Code.write'])('%j is malformed', (text) => {
    expect(parseGlob(text)).toHaveProperty('fault')
  })

  test('agrees with the plainest matcher there is', () => {
    const naive = (pattern: string, name: string): boolean => {
      if (pattern === '') return name === ''
      if (pattern[0] === '*') return naive(pattern.slice(1), name) || (name !== '' && naive(pattern, name.slice(1)))
      return pattern[0] === name[0] && name !== '' && naive(pattern.slice(1), name.slice(1))
    }
    const side = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 10 })
    fc.assert(fc.property(side, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 }), (pattern, name) => {
      expect(matchesSide(pattern, name)).toBe(naive(pattern, name))
    }), { numRuns: 3_000 })
  })

  test('a glob of many stars is quick on a long name', () => {
    const started = performance.now()
    expect(matchesSide('*a'.repeat(200) + 'b', 'a'.repeat(20_000))).toBe(false)
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

describe('the order of checks', () => {
  const set = policies('policy P : AllowTools("Code.*", "Tests.run") & DenyTools("Code.delete") & AllowTools("*.read", "*.write", "*.run", "*.delete") & ApproveEffects(write)')
  test.each([
    ['Code.read', 'allow'], ['Code.write', 'allow'], ['Code.delete', 'refuse'], ['Code.edit', 'refuse'], ['Web.read', 'refuse'], ['Tests.run', 'allow'],
  ])('%s: %s', (target, decision) => {
    expect(set.decide(call(target))).toMatchObject({ decision })
    expect(set.hides(target)).toBe(decision === 'refuse')
  })

  test('a refusal names the policy as listed in requires, and says why', () => {
    const nested = policies('policy P : Inner & MaxSteps(3)\npolicy Inner : Deeper\npolicy Deeper : DenyTools("A.b")', ['P'])
    expect(nested.decide(call('A.b'))).toEqual({ decision: 'refuse', policy: 'P', reason: 'A.b is denied' })
    expect(refusalText('P', 'A.b is denied')).toBe('Refused by policy "P": A.b is denied. Don\'t try this call again.')
    expect(set.decide(call('Web.read'))).toMatchObject({ reason: "Web.read isn't among the calls it allows (Code.*, Tests.run)" })
  })

  test('deny wins over a later policy that allows, and refusal over approval', () => {
    const two = policies('policy A : ApproveTools("X.*")\npolicy B : DenyArgs("X.y", "bad")', ['A', 'B'])
    expect(two.decide(call('X.y', { q: 'bad' }))).toMatchObject({ decision: 'refuse', policy: 'B' })
    expect(two.decide(call('X.y', { q: 'good' }))).toEqual({ decision: 'approve', policy: 'A' })
  })

  test('without rules everything is allowed, with several policies all hold', () => {
    expect(policies('', []).decide(call('X.y'))).toEqual({ decision: 'allow' })
    const two = policies('policy A : AllowTools("X.*")\npolicy B : AllowTools("*.y")', ['A', 'B'])
    expect(['X.y', 'X.z', 'Z.y'].map((target) => two.hides(target))).toEqual([false, true, true])
  })
})

describe('DenyArgs', () => {
  const any = policies('policy P : DenyArgs("T.*", "^secret$|^7$|^null$|\\"k\\":")')
  test.each<[string, Record<string, unknown>, boolean]>([
    ['a text', { a: 'secret' }, true], ['part of a text', { a: 'secrets' }, false], ['each on its own', { a: 'sec', b: 'ret' }, false], ['in a list', { a: ['x', 'secret'] }, true], ['deep inside', { a: { b: [{ c: 'secret' }] } }, true],
    ['a number as its JSON', { a: 7 }, true], ['another number', { a: 77 }, false], ['null as its JSON', { a: null }, true], ['an object as its JSON', { a: { k: 1 } }, true], ['a name is no value', { secret: 1 }, false], ['nothing', {}, false], ['a key inside', { a: { secret: 1 } }, false],
  ])('%s', (_, args, refused) => {
    expect(any.decide(call('T.m', args))).toMatchObject({ decision: refused ? 'refuse' : 'allow' })
    expect(any.decide(call('U.m', args))).toEqual({ decision: 'allow' })
  })

  const forms = ['DenyArgs("T.m", "path", "\\\\.test\\\\.")', "DenyArgs('T.m', path: '\\.test\\.')"]
  test.each(forms)('the one argument: %s', (rule) => {
    const set = policies(`policy P : ${rule}`)
    expect(set.decide(call('T.m', { path: 'a.test.ts' }))).toEqual({ decision: 'refuse', policy: 'P', reason: 'the argument path matches the denied pattern \\.test\\.' })
    expect(set.decide(call('T.m', { path: ['x', { y: 'a.test.ts' }] }))).toMatchObject({ reason: expect.stringContaining('path') as string })
    expect(set.decide(call('T.m', { text: 'a.test.ts' }))).toEqual({ decision: 'allow' })
    expect(set.decide(call('T.m', {}))).toEqual({ decision: 'allow' })
  })

  test('several named arguments are several rules', () => {
    const set = policies('policy P : DenyArgs("T.m", a: "x", b: "y")')
    expect([{ a: 'x' }, { b: 'y' }, { a: 'y', b: 'x' }].map((args) => (set.decide(call('T.m', args)) as { decision: string }).decision)).toEqual(['refuse', 'refuse', 'allow'])
  })

  test('a path is tried raw and in its normal form', () => {
    const set = policies('policy P : DenyArgs("T.m", path: "^secret/|link")')
    expect(set.decide(call('T.m', { path: './a/../secret/x' }, { normalised: { path: 'secret/x' } }))).toMatchObject({ decision: 'refuse' })
    expect(set.decide(call('T.m', { path: 'link/x' }, { normalised: { path: 'target/x' } }))).toMatchObject({ decision: 'refuse' })
    expect(set.decide(call('T.m', { path: 'ok' }, { normalised: { path: 'ok' } }))).toEqual({ decision: 'allow' })
  })

  test('the reference\'s shell rule lets only one command through', () => {
    const set = policies("policy P : DenyArgs(\"Tests.run\", \"command\", '^(?!bun test[\\w ./-]*$)')")
    const decide = (command: string): string => (set.decide(call('Tests.run', { command })) as { decision: string }).decision
    expect(['bun test', 'bun test acceptance.test.ts', 'bun test; rm -rf /', 'bun test && ls', 'bun test\nls', 'ls', ''].map(decide)).toEqual(['allow', 'allow', 'refuse', 'refuse', 'refuse', 'refuse', 'refuse'])
  })
})

describe('AllowArgs', () => {
  const set = policies("policy P : AllowArgs(\"T.m\", \"path\", 'notes/[\\w./-]+|index\\.md') & AllowArgs(\"T.n\", n: '[1-3]') & AllowArgs(\"T.l\", list: '\\[(\\d,?)*\\]')")
  test.each<[string, string, Record<string, unknown>, boolean]>([
    ['the whole value', 'T.m', { path: 'notes/a.md' }, true], ['the other alternative', 'T.m', { path: 'index.md' }, true], ['more before', 'T.m', { path: 'x/notes/a.md' }, false], ['more after', 'T.m', { path: 'index.md.exe' }, false], ['a line after', 'T.m', { path: 'index.md\n' }, false],
    ['missing', 'T.m', {}, false], ['null', 'T.m', { path: null }, false], ['a number as its JSON', 'T.n', { n: 2 }, true], ['another number', 'T.n', { n: 22 }, false], ['a list as its JSON', 'T.l', { list: [1, 2] }, true], ['another list', 'T.l', { list: ['a'] }, false], ['inherited names', 'T.m', Object.create({ path: 'index.md' }) as Record<string, unknown>, false],
  ])('%s', (_, target, args, allowed) => {
    expect(set.decide(call(target, args))).toMatchObject({ decision: allowed ? 'allow' : 'refuse' })
  })

  test('looks at the normal form', () => {
    expect(set.decide(call('T.m', { path: 'notes/../secret' }, { normalised: { path: 'secret' } }))).toMatchObject({ decision: 'refuse' })
    expect(set.decide(call('T.m', { path: './index.md' }, { normalised: { path: 'index.md' } }))).toEqual({ decision: 'allow' })
  })
})

describe('approvals', () => {
  const set = policies('policy A : ApproveTools("X.pay")\npolicy B : ApproveEffects(write)\npolicy C : ApproveCategories("payment", "mail")', ['A', 'B', 'C'])
  test.each<[Partial<CallFacts>, string | undefined]>([
    [{}, undefined], [{ target: 'X.pay' }, 'A'], [{ effect: 'write' }, 'B'], [{ effect: 'external' }, undefined], [{ categories: ['mail'] }, 'C'], [{ effect: 'write', categories: ['payment'] }, 'B'], [{ effect: undefined }, 'B'],
  ])('%j asks %s', (more, policy) => {
    const facts = call('X.y', {}, more)
    expect(set.decide(facts)).toEqual(policy === undefined ? { decision: 'allow' } : { decision: 'approve', policy })
    expect(set.approvalFor(facts.target, facts.effect, facts.categories)).toBe(policy)
  })
})

test('limits are data, the least of each counts', () => {
  const set = policies('policy A : MaxSpend(0.50) & MaxSteps(10) & MaxCalls("Web.*", 3)\npolicy B : MaxSpend(0.2) & MaxSteps(20) & MaxCalls("*.fetch", 0)', ['A', 'B', 'A'])
  expect(set.names).toEqual(['A', 'B'])
  expect(set.maxSpend).toEqual({ policy: 'B', dollars: 0.2 })
  expect(set.maxSteps).toEqual({ policy: 'A', limit: 10 })
  expect(set.maxCalls.map(({ policy, glob, limit, matches }) => [policy, glob, limit, matches('Web.fetch'), matches('Web.get')])).toEqual([['A', 'Web.*', 3, true, true], ['B', '*.fetch', 0, true, false]])
  expect(policies('', []).maxSpend).toBe(undefined)
})

describe('a policy that can\'t be used is VALIDATION', () => {
  test.each<[string, string, RegExp]>([
    ['a name that isn\'t declared', 'policy P : Q', /no policy named Q/], ['one that includes itself', 'policy P : Q\npolicy Q : P', /P → Q → P/], ['a rule that isn\'t there', 'policy P : Allow("x.y")', /no rule Allow/],
    ['a malformed glob', 'policy P : AllowTools("Code")', /no dot/], ['a faulty pattern', 'policy P : DenyArgs("A.b", "(")', /faulty regular expression/], ['no arguments', 'policy P : AllowTools()', /is written AllowTools/], ['too few', 'policy P : DenyArgs("A.b")', /is written DenyArgs/], ['too many', 'policy P : AllowArgs("A.b", "c", "d", "e")', /is written AllowArgs/],
    ['another effect', 'policy P : ApproveEffects(delete)', /fixed values|takes read, write, external/], ['a negative sum', 'policy P : MaxSpend(-1)', /from 0 on/], ['half a call', 'policy P : MaxCalls("A.b", 1.5)', /whole number/], ['a text for a number', 'policy P : MaxSteps("3")', /number/], ['a side that isn\'t one', 'policy P : Block("x", on: run)', /input, output or both/],
    ['a name it doesn\'t take', 'policy P : Block("x", of: both)', /takes no of:/], ['a variable', 'policy P : Redact(pattern)', /fixed values only/], ['a name twice', 'policy P : DenyArgs("A.b", x: "1", x: "2")', /twice/],
  ])('%s', (_, source, message) => {
    const error = errorOf(source)
    expect(error.code).toBe('VALIDATION')
    expect(error.message).toMatch(message)
  })

  test('and tells the place', () => {
    const source = 'policy P : MaxSteps(1) & AllowTools("ok.ok", "bad")'
    const [fault] = errorOf(source).diagnostics ?? []
    expect(source.slice(fault?.from, fault?.to)).toBe('"bad"')
  })
})

describe('slow patterns', () => {
  const source = `policy P : DenyArgs("A.b", '(a+)+$')`
  const runner = (test: RegexRunner['test']): RegexRunner => ({ test, replace: (_, text) => Promise.resolve(text) })

  test('without a runner are VALIDATION', () => {
    for (const rule of ["DenyArgs('A.b', '(a+)+$')", "AllowArgs('A.b', 'c', '(a+)+')", "Redact('(a+)+$')", "Block('(a+)+$')"]) {
      expect(errorOf(`policy P : ${rule}`).code).toBe('VALIDATION')
      expect(errorOf(`policy P : ${rule}`).message).toMatch(/regexRunner/)
    }
    expect(errorOf("policy P : Redact('(a+)+$')", ['P'], { test: () => Promise.resolve(true) }).code).toBe('VALIDATION')
  })

  test('run in the runner, and only they make a decision a promise', async () => {
    const asked: string[] = []
    const set = policies(source, ['P'], runner((pattern, text) => (asked.push(`${pattern} ${text}`), Promise.resolve(text === 'aaa'))))
    expect(set.decide(call('C.d', { x: 'aaa' }))).toEqual({ decision: 'allow' })
    const decision = set.decide(call('A.b', { x: ['b', 'aaa'], y: 'c' }))
    expect(decision).toBeInstanceOf(Promise)
    expect(await decision).toMatchObject({ decision: 'refuse', policy: 'P' })
    expect(asked).toEqual(['(a+)+$ ["b","aaa"]', '(a+)+$ b', '(a+)+$ aaa'])
  })

  test('that take too long refuse the call', async () => {
    for (const rule of ["DenyArgs('A.b', '(a+)+$')", "AllowArgs('A.b', 'x', '(a+)+')"]) {
      for (const test of [() => Promise.reject(new Error('time')), () => { throw new Error('time') }]) {
        const set = policies(`policy P : ${rule}`, ['P'], runner(test))
        expect(await set.decide(call('A.b', { x: 'q' }))).toEqual({ decision: 'refuse', policy: 'P', reason: 'the argument x couldn\'t be checked in time' })
      }
    }
  })

  test('in Redact and Block withhold what can\'t be checked', async () => {
    const failing: RegexRunner = { test: () => Promise.reject(new Error('time')), replace: () => Promise.reject(new Error('time')) }
    for (const rule of ["Redact('(a+)+$')", "Block('(a+)+$')"]) {
      const set = policies(`policy P : ${rule}`, ['P'], failing)
      expect(await set.inputText('secret')).toMatchObject({ text: '[withheld: policy "P" blocks this content]', blocked: { policy: 'P' } })
      expect(await set.outputText('secret')).toMatchObject({ blocked: { policy: 'P' } })
      expect(await set.promptBlocked('secret')).toMatchObject({ policy: 'P' })
      expect(JSON.stringify(await set.redactValue({ a: ['secret'] }))).not.toContain('secret')
    }
  })

  test('redact through the runner', async () => {
    const set = policies("policy P : Redact('(a+)+$') & Redact('b')", ['P'], { test: (p, t) => Promise.resolve(new RegExp(p, 'u').test(t)), replace: (p, t, r) => Promise.resolve(t.replace(new RegExp(p, 'gu'), () => r)) })
    expect(await set.inputText('xbaa')).toEqual({ text: 'x[redacted][redacted]' })
    expect(await set.redactValue({ k: ['xaa', 1] })).toEqual({ k: ['x[redacted]', 1] })
  })
})

test('the table of rules and the checker\'s know the same rules', () => {
  expect([...RULES.keys()].sort()).toEqual([...SIGNATURES.keys()].sort())
  for (const { forms, doc } of RULES.values()) {
    expect(doc).not.toBe('')
    for (const form of forms) if (!form.includes('…')) expect(policies(`policy P : ${form}`).rules).toHaveLength(1)
  }
})
