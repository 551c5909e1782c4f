import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HaloRuntime, parse } from '../../src/lib/halo/index.ts'
import { timeProvider } from '../../src/lib/halo/tools/providers/time.ts'
import type { Method } from '../../src/lib/halo/tools/types.ts'
import { toolContext } from './middleware-kit.ts'
import { expectDescribed } from './tool-results.ts'

const PROVIDER = { tool: 'Clock', fetch, env: {}, runId: 'r' }
/** One second before the clocks of Berlin are set forward, with some milliseconds. */
const NOW = Date.parse('2026-03-29T00:59:59.250Z')

async function call(name: string, args: Record<string, unknown> = {}, now = NOW): Promise<unknown> {
  const methods = await timeProvider.provider({}, PROVIDER)
  const result = await (methods[name] as Method)(args, toolContext({ now: () => now }))
  expectDescribed(timeProvider, name, result)
  return result
}
const refusal = async (name: string, args: Record<string, unknown>): Promise<string> =>
  call(name, args).then(
    (value) => `gave ${JSON.stringify(value)}`,
    (error: Error) => error.message,
  )

describe('now', () => {
  test('gives RFC 3339 in UTC, to the second', async () => {
    expect(await call('now')).toBe('2026-03-29T00:59:59Z')
  })

  test('in a zone, before and after its clocks are set forward and back', async () => {
    const berlin = (at: string) => call('now_in_tz', { tz: 'Europe/Berlin' }, Date.parse(at))
    expect(await berlin('2026-03-29T00:59:59Z')).toBe('2026-03-29T01:59:59+01:00')
    expect(await berlin('2026-03-29T01:00:00Z')).toBe('2026-03-29T03:00:00+02:00')
    expect(await berlin('2026-10-25T00:59:59Z')).toBe('2026-10-25T02:59:59+02:00')
    expect(await berlin('2026-10-25T01:00:00Z')).toBe('2026-10-25T02:00:00+01:00')
    const york = (at: string) => call('now_in_tz', { tz: 'America/New_York' }, Date.parse(at))
    expect(await york('2026-03-08T06:59:59Z')).toBe('2026-03-08T01:59:59-05:00')
    expect(await york('2026-03-08T07:00:00Z')).toBe('2026-03-08T03:00:00-04:00')
    expect(await call('now_in_tz', { tz: 'Asia/Kathmandu' })).toBe('2026-03-29T06:44:59+05:45')
    expect(await call('now_in_tz', { tz: '-03:30' })).toBe('2026-03-28T21:29:59-03:30')
  })

  test('refuses zones that are unknown, with those that may have been meant', async () => {
    expect(await refusal('now_in_tz', { tz: 'Europe/Berlinn' })).toBe('There is no time zone "Europe/Berlinn". Did you mean Europe/Berlin?')
    expect(await refusal('now_in_tz', { tz: 'new york' })).toContain('Did you mean America/New_York?')
    expect(await refusal('now_in_tz', { tz: 'Berlin' })).toContain('Did you mean Europe/Berlin?')
    expect(await refusal('now_in_tz', { tz: 'Mars/Olympus_Mons' })).toContain('There is no time zone "Mars/Olympus_Mons". IANA names are like')
    expect(await refusal('now_in_tz', { tz: '2026-01-01T00:00Z[Europe/Berlin]' })).toContain('There is no time zone')
  })

  test('the clock is that of the run', async () => {
    const ast = parse('tool Clock : Time()\npipeline Main() : null |> Clock.now(layout: "RFC3339Nano")')
    let at = NOW
    const runtime = new HaloRuntime({ clock: { now: () => at, sleep: () => Promise.resolve(), uuid: () => 'u' } }).load(ast)
    const run = await runtime.run('Main', {})
    expect(run.output).toBe('2026-03-29T00:59:59.25Z')
    at += 60_000
    expect((await runtime.run('Main', {})).output).toBe('2026-03-29T01:00:59.25Z')
  })
})

describe('layouts', () => {
  const at = Date.parse('2009-02-03T04:05:06.070Z')

  // What `date -u -d 2009-02-03T04:05:06.07Z +…` of GNU coreutils prints in the C locale.
  test.each([
    ['%Y-%m-%d %H:%M:%S', '2009-02-03 04:05:06'],
    ['%a %A %b %B %h', 'Tue Tuesday Feb February Feb'],
    ['%c', 'Tue Feb  3 04:05:06 2009'],
    ['%C %d %D %e %F', '20 03 02/03/09  3 2009-02-03'],
    ['%g %G %V %u %w', '09 2009 06 2 2'],
    ['%I %j %k %l %m %M', '04 034  4  4 02 05'],
    ['%N %p %P %r %R', '070000000 AM am 04:05:06 AM 04:05'],
    ['%s %S %T %U %W %y', '1233633906 06 04:05:06 05 05 09'],
    ['%x %X %z %:z %Z %%', '02/03/09 04:05:06 +0000 +00:00 UTC %'],
    ['%-d.%-m.%Y, %-I%P', '3.2.2009, 4am'],
  ])('strftime %s', async (layout, text) => {
    expect(await call('now', { layout }, at)).toBe(text)
  })

  test('strftime, weeks around the turn of years, as the tables of ISO 8601 have them', async () => {
    const week = (day: string) => call('now', { layout: '%G-W%V-%u %U %W' }, Date.parse(`${day}T12:00:00Z`))
    expect(await week('2005-01-01')).toBe('2004-W53-6 00 00')
    expect(await week('2008-12-29')).toBe('2009-W01-1 52 52')
    expect(await week('2010-01-03')).toBe('2009-W53-7 01 00')
    expect(await week('2007-01-01')).toBe('2007-W01-1 00 01')
  })

  // From the format tests of Go's package time, whose time this is: 2009-02-04 21:00:57.012345600 -0800 (here in milliseconds).
  test.each([
    ['ANSIC', 'Wed Feb  4 21:00:57 2009'],
    ['UnixDate', 'Wed Feb  4 21:00:57 PST 2009'],
    ['RubyDate', 'Wed Feb 04 21:00:57 -0800 2009'],
    ['RFC822', '04 Feb 09 21:00 PST'],
    ['RFC850', 'Wednesday, 04-Feb-09 21:00:57 PST'],
    ['RFC1123', 'Wed, 04 Feb 2009 21:00:57 PST'],
    ['RFC1123Z', 'Wed, 04 Feb 2009 21:00:57 -0800'],
    ['RFC3339', '2009-02-04T21:00:57-08:00'],
    ['RFC3339Nano', '2009-02-04T21:00:57.012-08:00'],
    ['Kitchen', '9:00PM'],
    ['3pm', '9pm'],
    ['3PM', '9PM'],
    ['06 01 02', '09 02 04'],
    ['Jan  2 15:04:05.000', 'Feb  4 21:00:57.012'],
    ['StampMicro', 'Feb  4 21:00:57.012000'],
    ['Jan Janet', 'Feb Janet'],
    ['Month __2', 'Month  35'],
    ['15:04:05.99', '21:00:57.01'],
    ['2006-002 Z0700 Z07', '2009-035 -0800 -08'],
    ['_2006 _2', '_2009  4'],
  ])('the reference time as %s', async (layout, text) => {
    expect(await call('now_in_tz', { tz: 'America/Los_Angeles', layout }, Date.parse('2009-02-04T21:00:57.012-08:00'))).toBe(text)
  })

  test('names of zones as they are used there', async () => {
    const name = (tz: string, layout = 'MST') => call('now_in_tz', { tz, layout }, Date.parse('2026-07-01T00:00:00Z'))
    expect(await Promise.all(['Europe/Berlin', 'Europe/London', 'America/New_York', 'Asia/Tokyo', 'Australia/Sydney', 'America/Sao_Paulo', 'UTC'].map((tz) => name(tz)))).toEqual(['CEST', 'BST', 'EDT', 'JST', 'AEST', '-03', 'UTC'])
  })

  test('what has no part of a time is refused, with what to write', async () => {
    expect(await refusal('now', { layout: 'YYYY-MM-DD' })).toContain('names no part of a time')
    expect(await refusal('now', { layout: '%Y-%Q' })).toContain('no %Q')
    expect(await refusal('now', { layout: '100%' })).toContain('no %')
  })
})

describe('reckoning', () => {
  test('converts from offsets, from zones, and back', async () => {
    expect(await call('convert', { input: '2026-07-01T12:00:00Z', tz: 'Asia/Tokyo' })).toBe('2026-07-01T21:00:00+09:00')
    expect(await call('convert', { input: '2026-07-01 12:00', from: 'Europe/Berlin', tz: 'UTC' })).toBe('2026-07-01T10:00:00Z')
    expect(await call('convert', { input: '2026-07-01T12:00:00.5+02:00', tz: 'America/New_York' })).toBe('2026-07-01T06:00:00.5-04:00')
    const zones = fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Africa/Casablanca', 'UTC', '+05:30')
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 4_000_000_000 }), zones, async (seconds, tz) => {
        const input = new Date(seconds * 1000).toISOString().replace('.000', '')
        const there = String(await call('convert', { input, tz }))
        expect(Date.parse(there)).toBe(seconds * 1000)
        expect(await call('convert', { input: there, tz: 'UTC' })).toBe(input)
      }),
    )
  })

  test('says of local times that clocks skip or repeat what is the matter', async () => {
    const there = (input: string) => refusal('convert', { input, from: 'Europe/Berlin', tz: 'UTC' })
    expect(await there('2026-03-29T02:30')).toBe("2026-03-29T02:30 doesn't exist in Europe/Berlin: clocks are set forward, from 01:30 to 03:30.")
    expect(await there('2026-10-25T02:30')).toBe('2026-10-25T02:30 comes twice in Europe/Berlin, as clocks are set back: add the offset, +02:00 or +01:00.')
    expect(await there('2026-10-25T02:30+02:00')).toBe('gave "2026-10-25T00:30:00Z"')
  })

  test.each([
    ['2026-02-30T00:00:00Z', /is no time/],
    ['2026-13-01T00:00:00Z', /is no time/],
    ['2026-01-01T25:00:00Z', /is no time/],
    ['tomorrow', /"tomorrow" is no time: give RFC 3339/],
    ['12:30', /is no time/],
    ['2026-01-01', /has no offset/],
    ['2026-01-01T10:00:00', /has no offset/],
    ['2026-07-01T12:00:00+05:00[Europe/Berlin]', /is no time/],
  ])('%s is refused', async (input, words) => {
    expect(await refusal('convert', { input, tz: 'UTC' })).toMatch(words)
  })

  test('a day keeps the time of day in a zone, 24 hours do not', async () => {
    const add = (duration: string, tz?: string) => call('add', { input: '2026-03-28T12:00:00+01:00', duration, ...(tz !== undefined && { tz }) })
    expect(await add('1d', 'Europe/Berlin')).toBe('2026-03-29T12:00:00+02:00')
    expect(await add('24h', 'Europe/Berlin')).toBe('2026-03-29T13:00:00+02:00')
    expect(await add('P1D')).toBe('2026-03-29T12:00:00+01:00')
    expect(await add('1h30m')).toBe('2026-03-28T13:30:00+01:00')
    expect(await add('-1w')).toBe('2026-03-21T12:00:00+01:00')
    expect(await add('1.5s')).toBe('2026-03-28T12:00:01.5+01:00')
    expect(await call('add', { input: '2026-01-31', duration: 'P1M', tz: 'UTC', layout: 'DateOnly' })).toBe('2026-02-28')
    expect(await call('add', { input: '2024-02-29T00:00:00Z', duration: '-P1Y' })).toBe('2023-02-28T00:00:00Z')
  })

  test.each(['1 month', '5', '', '1x', 'P', '1h-30m', '1.5d', 'P1.5M'])('%j is no duration', async (duration) => {
    expect(await refusal('add', { input: '2026-01-01T00:00:00Z', duration })).toMatch(/is no duration|part of a day/)
  })

  test('what leaves the years that can be written is refused', async () => {
    for (const duration of ['P9000Y', '99999999999999d', '-P3000Y', 'P400000Y']) expect(await refusal('add', { input: '2026-01-01T00:00:00Z', duration })).toMatch(/0000 to 9999|no duration/)
  })

  test('the length between two times, in seconds, as ISO 8601 and in a unit', async () => {
    expect(await call('diff', { from: '2026-01-01T00:00:00Z', to: '2026-01-02T02:00:00Z' })).toEqual({ duration: 'P1DT2H', seconds: 93_600 })
    expect(await call('diff', { from: '2026-01-01T02:00:00+02:00', to: '2026-01-01T00:00:00Z' })).toEqual({ duration: 'PT0S', seconds: 0 })
    expect(await call('diff', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T12:00:00Z', unit: 'days' })).toEqual({ duration: '-PT12H', seconds: -43_200, value: -0.5, unit: 'days' })
    // The day on which Berlin's clocks are set forward has 23 hours.
    expect(await call('diff', { from: '2026-03-29', to: '2026-03-30', tz: 'Europe/Berlin', unit: 'days' })).toEqual({ duration: 'P1D', seconds: 82_800, value: 1, unit: 'days' })
    expect(await call('diff', { from: '2024-01-15T00:00:00Z', to: '2025-07-15T00:00:00Z', unit: 'months' })).toMatchObject({ value: 18 })
  })

  test('adding the length between two times to the first gives the second', async () => {
    const moment = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => new Date(seconds * 1000).toISOString().replace('.000', ''))
    await fc.assert(
      fc.asyncProperty(moment, moment, fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'), async (from, to, tz) => {
        const { duration } = (await call('diff', { from, to, tz })) as { duration: string }
        const there = String(await call('add', { input: from, duration, tz }))
        expect(await call('convert', { input: there, tz: 'UTC' })).toBe(to)
      }),
    )
  })
})
