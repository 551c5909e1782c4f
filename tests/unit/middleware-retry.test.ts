import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HaloError } from '../../src/lib/halo/errors.ts'
import { fault } from '../../src/lib/halo/models/faults.ts'
import { classifyError, classifyHttpError, httpError, retryAfterMs } from '../../src/lib/halo/tools/failure.ts'
import { backoffMs, retrying, withRetry, type Backoff, type RetryPolicy } from '../../src/lib/halo/tools/middleware/retry.ts'
import { duration, sleep, withinTime, withTimeout } from '../../src/lib/halo/tools/middleware/time.ts'
import { TransientError, type Effect } from '../../src/lib/halo/tools/types.ts'
import { testTool, toolContext } from './middleware-kit.ts'

/** Fails with each of the errors in turn, then succeeds; notes the waits between. */
async function attempts(errors: unknown[], policy: RetryPolicy, effect?: Effect): Promise<{ calls: number; waits: number[]; outcome: unknown }> {
  const waits: number[] = []
  let calls = 0
  const outcome = await retrying(
    () => {
      const error = errors[calls++]
      if (error !== undefined) throw error
      return 'done'
    },
    policy,
    { effect, random: () => 0, now: () => 0, sleep: async (ms) => void waits.push(ms) },
  ).catch((error: unknown) => error)
  return { calls, waits, outcome }
}
const http = (status: number, headers?: Record<string, string>): Error => httpError({ status, headers }, 0)
const lost = (): Error => new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) })

describe('what failed for a while', () => {
  test('is tried again until it succeeds', async () => {
    expect(await attempts([http(503), lost(), http(429)], { attempts: 3, jitter: 0 })).toEqual({ calls: 4, waits: [500, 1000, 2000], outcome: 'done' })
  })

  test('fails with its last error when the attempts are used up', async () => {
    const last = http(502)
    expect(await attempts([http(503), last, http(500)], { attempts: 1 })).toMatchObject({ calls: 2, outcome: last })
  })

  test.each([
    ['a refusal by policy', new HaloError('POLICY_BLOCKED', 'no')],
    ['a wrong request', http(400)],
    ['a missing page', http(404)],
    ['a cancelled call', new DOMException('stopped', 'AbortError')],
  ])('is not %s', async (_, error) => {
    expect(await attempts([error], { attempts: 3 })).toMatchObject({ calls: 1, outcome: error })
  })

  test('may be an error of which nothing is known, unless it changes the world', async () => {
    expect(await attempts([new Error('odd')], { attempts: 1 })).toMatchObject({ calls: 2 })
    expect(await attempts([new Error('odd')], { attempts: 1 }, 'read')).toMatchObject({ calls: 2 })
    expect(await attempts([new Error('odd')], { attempts: 1 }, 'write')).toMatchObject({ calls: 1 })
  })
})

describe('a call that changes the world', () => {
  const safe: [string, () => unknown][] = [
    ['429', () => http(429)],
    ['503', () => http(503)],
    ["the tool's own word", () => new TransientError('busy')],
  ]
  const unsafe: [string, () => unknown][] = [
    ['500', () => http(500)],
    ['502', () => http(502)],
    ['504', () => http(504)],
    ['a lost connection', lost],
    ['a timeout', () => new HaloError('TIMEOUT', 'late')],
    ['a timeout of fetch', () => new DOMException('late', 'TimeoutError')],
    ['a transient error with a status that proves nothing', () => new TransientError('bad gateway', { status: 502 })],
  ]
  for (const effect of ['write', 'external'] as const) {
    test.each(safe)(`[${effect}] is repeated after %s`, async (_, error) => {
      expect(await attempts([error()], { attempts: 1 }, effect)).toMatchObject({ calls: 2, outcome: 'done' })
    })
    test.each(unsafe)(`[${effect}] is never repeated after %s, whatever on: says`, async (_, error) => {
      expect(await attempts([error()], { attempts: 5, on: ['any', '5xx', 'network', 'timeout'] }, effect)).toMatchObject({ calls: 1 })
    })
  }
  test.each([...safe, ...unsafe])('[read] is repeated after %s', async (_, error) => {
    expect(await attempts([error()], { attempts: 1 }, 'read')).toMatchObject({ calls: 2 })
  })
})

describe('the conditions of on:', () => {
  const errors = { '429': http(429), '500': http(500), '404': http(404), network: lost(), timeout: new HaloError('TIMEOUT', 'late'), odd: new Error('odd') }
  test.each<[string | number, (keyof typeof errors)[]]>([
    ['429', ['429']],
    [429, ['429']],
    ['5xx', ['500']],
    ['4xx', ['429', '404']],
    ['network', ['network']],
    ['timeout', ['timeout']],
    ['transient', ['429', '500', 'network', 'timeout']],
    ['any', ['429', '500', '404', 'network', 'timeout', 'odd']],
  ])('%s picks exactly what it names', async (condition, expected) => {
    const tried: string[] = []
    for (const [name, error] of Object.entries(errors)) {
      if ((await attempts([error], { attempts: 1, on: [condition] })).calls === 2) tried.push(name)
    }
    expect(tried.sort()).toEqual([...expected].sort())
  })
  test.each(['600', 'fivexx', '', 42])('refuse %j', async (condition) => {
    await expect(retrying(() => 1, { attempts: 1, on: [condition] })).rejects.toMatchObject({ code: 'VALIDATION' })
  })
})

describe('the wait between attempts', () => {
  test('follows the backoff between the jittered and the full wait, and never passes the cap', () => {
    const backoff = fc.constantFrom<Backoff>('exponential', 'linear', 'constant')
    fc.assert(
      fc.property(backoff, fc.nat(10_000), fc.nat(100_000), fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 1, noNaN: true }), (kind, baseMs, capMs, jitter, attempt, chance) => {
        // The schedule, said another way: constant stays, linear adds the base each time, exponential doubles.
        let full = baseMs
        for (let i = 1; i < attempt; i++) full = kind === 'constant' ? full : kind === 'linear' ? full + baseMs : full * 2
        full = Math.min(full, capMs)
        const wait = backoffMs({ attempts: 99, backoff: kind, baseMs, capMs, jitter }, attempt, chance)
        expect(wait).toBeLessThanOrEqual(Math.round(full))
        expect(wait).toBeGreaterThanOrEqual(Math.floor(full * (1 - jitter)))
        expect(backoffMs({ attempts: 99, backoff: kind, baseMs, capMs, jitter: 0 }, attempt, chance)).toBe(Math.round(full))
      }),
    )
  })

  test('is at least what the other side asks for', async () => {
    expect(await attempts([http(429, { 'Retry-After': '7' }), http(503)], { attempts: 2, jitter: 0 })).toMatchObject({ waits: [7000, 1000] })
    expect(await attempts([new TransientError('busy', { afterMs: 10 })], { attempts: 1, jitter: 0 })).toMatchObject({ waits: [500] })
  })

  test('is not sat out when the other side asks for too much', async () => {
    expect(await attempts([http(429, { 'retry-after': '3600' })], { attempts: 3 })).toMatchObject({ calls: 1, waits: [] })
  })

  test('ends at once when the run is stopped', async () => {
    const stop = new AbortController()
    const run = retrying(() => Promise.reject(http(503)), { attempts: 5, baseMs: 60_000, jitter: 0 }, { signal: stop.signal })
    setTimeout(() => stop.abort(new HaloError('CANCELLED', 'stopped')), 5)
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  test.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '120' }, 120_000],
    [{ 'Retry-After': ' 0 ' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:59:30 GMT' }, 0],
    [{ 'retry-after': '10', 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '1e3' }, undefined],
    [{}, undefined],
  ])('%j asks for %s ms', (headers, expected) => {
    expect(retryAfterMs(headers, now)).toBe(expected)
    expect(retryAfterMs(new Headers(headers), now)).toBe(expected)
  })
})

describe('the classifier of failures', () => {
  test('calls a status transient exactly where another try can help', () => {
    const transient = Array.from({ length: 500 }, (_, i) => i + 100).filter((status) => classifyHttpError(status).transient)
    expect(transient).toEqual([408, 425, 429, 500, 502, 503, 504, 529])
  })
  test.each([
    ['a status on the error', Object.assign(new Error('x'), { status: 503 }), 'http'],
    ['a status on its response', Object.assign(new Error('x'), { response: { status: 500 } }), 'http'],
    ['a status in the data of a HaloError', new HaloError('MODEL_ERROR', 'x', { data: { status: 429 } }), 'http'],
    ['a cause inside a HaloError', new HaloError('TOOL_ERROR', 'x', { cause: lost() }), 'network'],
    ["Chromium's fetch", new TypeError('Failed to fetch'), 'network'],
    ["Firefox's fetch", new TypeError('NetworkError when attempting to fetch resource.'), 'network'],
    ["Safari's fetch", new TypeError('Load failed'), 'network'],
    ['undici waiting for headers', new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'UND_ERR_HEADERS_TIMEOUT' }) }), 'timeout'],
    ['a fault in the tool', new TypeError('x is not a function'), 'unknown'],
    ['a thrown text', 'no', 'unknown'],
  ])('reads %s', (_, error, kind) => {
    expect(classifyError(error).kind).toBe(kind)
  })
  test('takes the word of a model adapter: what it says is hopeless is not tried again, whatever on: says', async () => {
    const emptyAccount = fault('MODEL_ERROR', 'The account is out of credit.', { kind: 'quota', status: 429 })
    const refusedKey = fault('MODEL_ERROR', 'The key was refused.', { kind: 'key', status: 401 })
    for (const error of [emptyAccount, refusedKey]) expect(await attempts([error], { attempts: 3, on: ['any', '429', '4xx'] })).toMatchObject({ calls: 1 })
    const overloaded = fault('MODEL_ERROR', 'Overloaded.', { kind: 'server', retry: '5xx' })
    expect(await attempts([overloaded], { attempts: 1, on: ['5xx'] })).toMatchObject({ calls: 2 })
    const slowDown = fault('MODEL_ERROR', 'Too many requests.', { kind: 'rate_limit', status: 429, retry: '429', retryAfterMs: 7000 })
    expect(await attempts([slowDown], { attempts: 1, on: ['429'] })).toMatchObject({ calls: 2, waits: [7000] })
    const cut = fault('NETWORK', 'The connection broke.', { kind: 'offline', retry: 'network' })
    expect(await attempts([cut], { attempts: 1, on: ['network'] })).toMatchObject({ calls: 2 })
  })
  test('ends on causes that go in a circle', () => {
    const error = new Error('a')
    error.cause = new Error('b', { cause: error })
    expect(classifyError(error).kind).toBe('unknown')
  })
})

describe('withRetry', () => {
  test('repeats the tool by its own effect and says so in the log', async () => {
    const logged: string[] = []
    let calls = 0
    const flaky = testTool({
      execute: () => {
        if (++calls < 3) throw http(503)
        return calls
      },
    })
    const tool = withRetry({ attempts: 2, baseMs: 0 })(flaky)
    expect(await tool.execute({}, toolContext({ log: (line) => logged.push(line) }))).toBe(3)
    expect(logged).toHaveLength(2)
  })
  test('repeats one that fails in the middle of its partial results', async () => {
    let calls = 0
    const partials: unknown[] = []
    const tool = withRetry({ attempts: 1, baseMs: 0 })(
      testTool({
        async *execute() {
          yield 'a'
          yield 'b'
          if (++calls === 1) throw http(503)
          yield 'c'
        },
      }),
    )
    expect(await tool.execute({}, toolContext({ partial: (value) => partials.push(value) }))).toBe('c')
    expect(partials).toEqual(['a', 'a', 'b'])
  })
  test('refuses a policy that makes no sense', () => {
    for (const policy of [{ attempts: -1 }, { attempts: 1.5 }, { attempts: 1, jitter: 2 }, { attempts: 1, baseMs: -1 }]) {
      expect(() => withRetry(policy)).toThrow(expect.objectContaining({ code: 'VALIDATION' }))
    }
  })
})

describe('a time limit', () => {
  test('ends a call that does not listen, and tells one that does', async () => {
    let told = false
    const late = withinTime((signal) => {
      signal.addEventListener('abort', () => (told = true))
      return new Promise(() => {})
    }, 5)
    await expect(late).rejects.toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('5ms') })
    expect(told).toBe(true)
  })
  test('leaves a result or an error that comes in time alone', async () => {
    expect(await withinTime(async () => 'x', 1000)).toBe('x')
    await expect(withinTime(() => Promise.reject(new Error('own')), 1000)).rejects.toThrow('own')
    await expect(withinTime(() => { throw new Error('at once') }, 1000)).rejects.toThrow('at once')
  })
  test('passes on that the run was stopped', async () => {
    const stop = new AbortController()
    const run = withinTime(() => new Promise(() => {}), 60_000, { signal: stop.signal })
    stop.abort(new HaloError('CANCELLED', 'stopped'))
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED' })
  })
  test('of a tool is in its context', async () => {
    const tool = withTimeout(5)(testTool({ execute: (_args, { signal }) => sleep(60_000, signal) }))
    await expect(tool.execute({}, toolContext())).rejects.toMatchObject({ code: 'TIMEOUT' })
  })
  test.each([[500, '500ms'], [30_000, '30s'], [5_400_000, '1h30m'], [1500, '1500ms'], [172_800_000, '2d']])('of %i ms is said as %s', (ms, text) => {
    expect(duration(ms)).toBe(text)
  })
})
