import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { compileRegex, flagsFor } from '../../src/lib/halo/policy/regex.ts'
import { isLinear } from '../../src/lib/halo/policy/regex-proof.ts'
import { programOf } from '../../src/lib/halo/policy/regex-program.ts'
import { canSimulate, canSimulateReplace, simulate, simulateReplace } from '../../src/lib/halo/policy/regex-simulate.ts'
import { REGEX_WORKER_SOURCE, regexWorkerRunner, RegexTimeout, type RegexWorker } from '../../src/lib/halo/policy/regex-worker.ts'

function how(source: string, use: 'search' | 'whole' | 'replace' = 'search'): 'native' | 'slow' | 'faulty' {
  const regex = compileRegex(source, use)
  if ('fault' in regex) return 'faulty'
  return (use === 'replace' ? regex.replace : regex.test) ? 'native' : 'slow'
}

describe('what runs here and what needs a runner', () => {
  test.each([
    '\\.test\\.', '^(?!bun test[\\w ./-]*$)', 'rm .*-rf', '.*\\.env$', 'secret.*key', '^notes/.*\\.md$', 'password\\s*[:=]\\s*\\S+', '\\bsecret\\b', '(?<=foo)bar', '(?<![\\w.])\\d{3}', 'a{1,300}b', '[\\w-.]+x', '\\p{L}+\\d', 'foo|bar|baz',
    '^(?!.*secret).*$', '(a|b)*abb', '^\\s+|\\s+$', '(?:^|/)\\.env(?:\\.|$)', '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}', '^(?:\\d{1,3}\\.){3}\\d{1,3}$', '', '^$', '(?:)', '[]', '[^]', '(a?)?', '^(a?){1,}$', '(a|b?)*c', '\\$\\{[^}]*\\}', '^https://([a-z]+\\.)*example\\.com/',
  ])('%s runs here', (source) => {
    expect(how(source)).toBe('native')
  })

  test.each(['(a+)+$', '(a+)+', '(a|a)*b', '(a*)*b', '(a|aa)+$', '^(\\w+\\s?)*$', '(.*)*x', '(\\w+)\\1', '(?<!\\w+)x', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y', '(?=(a+)+$)b', '([a-zA-Z]+)*$', '(?:a|b|ab)*c', '(?:(?:a)*b?)*c', '^(?:a*b?)*$'])(
    '%s needs a runner', (source) => {
      expect(how(source)).toBe('slow')
    },
  )

  test.each(['(', '[z-a]', '*', '(?<n>a)(?<n>b)', 'a{2,1}', '\\'])('%s is faulty', (source) => {
    expect(how(source)).toBe('faulty')
  })

  test('u is added where the pattern compiles with it', () => {
    expect(flagsFor('\\p{L}')).toEqual({ flags: 'u' })
    expect(flagsFor('[\\w-.]')).toEqual({ flags: '' })
    const regex = compileRegex('^.$')
    expect('test' in regex && regex.test?.('😀')).toBe(true)
  })

  test('the whole text has to match, whatever alternatives the pattern has', () => {
    const regex = compileRegex('a|bc', 'whole')
    const tested = ['a', 'bc', 'ab', 'xbc', 'a\n', ''].map((text) => 'test' in regex && regex.test?.(text))
    expect(tested).toEqual([true, true, false, false, false, false])
  })

  test('the replacement is taken literally', () => {
    const regex = compileRegex('b(c)', 'replace')
    expect('replace' in regex && regex.replace?.('abcabc', '$1$&')).toBe('a$1$&a$1$&')
  })

  test('patterns made to break the analysis itself are given up in time', () => {
    for (const source of ['('.repeat(3_000) + ')'.repeat(3_000), 'a'.repeat(100_000), '(?:a{1,1000}){1,1000}', '((a{0,30}){0,30}){0,30}', '(a|b|c|d|e|f|g)*'.repeat(200), '.*'.repeat(500), '(?:a?b?c?d?e?f?g?h?){30}x', '(?=a)'.repeat(500), `${'(?:a|'.repeat(300)}b${')'.repeat(300)}`, '(?:(?:(?:(?:a*)*)*)*)*', '[a-z]*'.repeat(40) + '!', '.*a.{12}b', '(?:.a){1,20}.{20}']) {
      const started = performance.now()
      compileRegex(source)
      expect(performance.now() - started).toBeLessThan(20_000)
    }
  })
})

// ---------------------------------------------------------------- generated patterns

const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\d', '\\s', 'ab', '\\b', '^', '$', ' ')
const repeat = fc.constantFrom('', '*', '+', '?', '{2}', '{0,3}', '*?', '+?', '{2,}', '??')
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof({ maxDepth: 4, withCrossShrink: true },
    fc.tuple(atom, repeat).map(([each, times]) => (/^(\\b|\^|\$)$/.test(each) ? each : `${each.length > 1 && !/^[\\[]/.test(each) ? `(?:${each})` : each}${times}`)),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie('pattern'), repeat).map(([a, times]) => `(${a})${times}`),
    fc.tuple(tie('pattern'), fc.constantFrom('(?=', '(?!')).map(([a, open]) => `${open}${a})`),
    fc.constantFrom('(?<=a)', '(?<!b)', '(?<=a|bb)'),
  ),
}))

/** Texts that make patterns over a, b, space and digits backtrack: long runs with an end that doesn't fit. */
function adversaries(length: number): string[] {
  const fill = (unit: string): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
  return ['a', 'b', 'ab', 'aab', 'a ', '1', 'aba ', ' ', '\n', 'ba1 '].flatMap((unit) => [fill(unit), `${fill(unit)}!`, `${fill(unit)}\n\u2028`])
}

test('whatever is called linear takes a text of 50,000 characters in its stride', () => {
  const texts = adversaries(50_000)
  let linear = 0
  fc.assert(
    fc.property(pattern, fc.constantFrom('search' as const, 'whole' as const, 'replace' as const), (source, use) => {
      const regex = compileRegex(source, use)
      if ('fault' in regex) return
      if (!regex.test && !regex.replace) return
      linear++
      for (const text of texts) {
        const started = performance.now()
        if (use === 'replace') regex.replace?.(text, '')
        else regex.test?.(text)
        const took = performance.now() - started
        // 300 steps for a character are some ms; a quadratic pattern would take seconds. The limit leaves room for a busy machine.
        if (took > 700) throw new Error(`${JSON.stringify(source)} (${use}) takes ${took} ms on ${JSON.stringify(text.slice(0, 8))}…${JSON.stringify(text.slice(-3))}`)
      }
    }),
    { numRuns: 150 },
  )
  expect(linear).toBeGreaterThan(30)
}, 120_000)

test('what is cut from a pattern doesn\'t change where it matches', () => {
  fc.assert(
    fc.property(pattern, fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '1', '\n', 'é', '😀'), maxLength: 12 }), { minLength: 4, maxLength: 8 }), (source, texts) => {
      const flags = flagsFor(source)
      if ('fault' in flags) return
      const own = new RegExp(source, flags.flags)
      const whole = new RegExp(`^(?:${source})$`, flags.flags)
      const search = compileRegex(source, 'search')
      const full = compileRegex(source, 'whole')
      for (const text of texts) {
        if ('test' in search && search.test) expect([source, text, search.test(text)]).toEqual([source, text, own.test(text)])
        if ('test' in full && full.test) expect([source, text, full.test(text)]).toEqual([source, text, whole.test(text)])
      }
    }),
    { numRuns: 1_500 },
  )
})

test('the simulation agrees with the engine, with and without u', () => {
  let tried = 0
  fc.assert(
    fc.property(pattern, fc.boolean(), fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '1', '\n', 'é', '😀'), maxLength: 12 }), { minLength: 4, maxLength: 8 }), (source, unicode, texts) => {
      const analysed = programOf(source, unicode, 'written')
      if (!analysed || !canSimulate(analysed.program)) return
      tried++
      const own = new RegExp(source, unicode ? 'u' : '')
      const all = new RegExp(source, unicode ? 'gu' : 'g')
      for (const text of texts) {
        expect([source, text, simulate(analysed.program, text)]).toEqual([source, text, own.test(text)])
        if (canSimulateReplace(analysed.program)) expect([source, text, simulateReplace(analysed.program, text, '#')]).toEqual([source, text, text.replace(all, '#')])
      }
    }),
    { numRuns: 1_500 },
  )
  expect(tried).toBeGreaterThan(300)
})

test('the simulation is quick where the engine isn\'t', () => {
  const regex = compileRegex('rm .*-rf')
  const text = 'rm '.repeat(30_000)
  const started = performance.now()
  expect('test' in regex && regex.test?.(text)).toBe(false)
  expect('test' in regex && regex.test?.(`${text} -rf`)).toBe(true)
  expect(performance.now() - started).toBeLessThan(20_000)
  const analysed = programOf('rm .*-rf', true, 'search')
  expect(analysed && isLinear(analysed.program)).toBe(false)
})

test('replacing by simulation is quick too, and gives up by counting where it can\'t be', () => {
  const regex = compileRegex('x+y', 'replace')
  if (!('replace' in regex)) throw new Error('slow')
  const started = performance.now()
  expect(regex.replace?.('x'.repeat(50_000), '#')).toBe('x'.repeat(50_000))
  expect(regex.replace?.('xxy'.repeat(20_000), '#')).toBe('#'.repeat(20_000))
  const overlapping = compileRegex('a.*x|a', 'replace')
  if (!('replace' in overlapping)) throw new Error('slow')
  expect(() => overlapping.replace?.('a'.repeat(50_000), '#')).toThrow(/too long/)
  expect(performance.now() - started).toBeLessThan(20_000)
})

// ----------------------------------------------------------------------- worker

function nodeWorker(): RegexWorker {
  const worker = new Worker(REGEX_WORKER_SOURCE, { eval: true })
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => void worker.on('message', listener),
    onError: (listener) => void worker.on('error', listener),
    terminate: () => void worker.terminate(),
  }
}

describe('the runner on a worker', () => {
  const runner = regexWorkerRunner(nodeWorker)
  afterAll(() => runner.close())

  test('answers', async () => {
    expect(await runner.test('(a+)+$', 'xaaa')).toBe(true)
    expect(await runner.test('^.$', '😀')).toBe(true)
    expect(await runner.test('(\\w)\\1', 'abcc')).toBe(true)
    expect(await runner.replace('(\\w)\\1', 'aabccd', '$1')).toBe('$1b$1d')
    await expect(runner.test('(', 'x')).rejects.toThrow(/Invalid regular expression/)
  })

  test('gives up after 100 ms, and answers the next', async () => {
    await runner.test('a', 'a')
    const text = `${'a'.repeat(60)}!`
    const started = performance.now()
    const slow = runner.test('^(a+)+$', text)
    const next = [runner.test('b', 'abc'), runner.test('^(a+)+$', text), runner.replace('b', 'abc', '-')]
    await expect(slow).rejects.toThrow(RegexTimeout)
    expect(performance.now() - started).toBeLessThan(20_000)
    const settled = await Promise.allSettled(next)
    expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as Error).name))).toEqual([true, 'RegexTimeout', 'a-c'])
  })

  test('a worker that doesn\'t start or dies rejects what waits', async () => {
    const dead = regexWorkerRunner(() => ({ post: () => {}, onMessage: () => {}, onError: () => {}, terminate: () => {} }), { startMs: 20 })
    await expect(dead.test('a', 'a')).rejects.toThrow(/didn't start/)
    const broken = regexWorkerRunner(() => ({ post: () => {}, onMessage: () => {}, onError: (listener) => queueMicrotask(() => listener(new Error('no memory'))), terminate: () => {} }))
    await expect(broken.test('a', 'a')).rejects.toThrow(/no memory/)
    const closing = runner.test('(a+)+$', 'a')
    runner.close()
    await expect(closing).rejects.toThrow(/closed/)
    expect(await runner.test('a', 'a')).toBe(true)
  })
})
