/** What `Time()` does; loaded with the first call, as it brings a calendar. */
import { Temporal } from 'temporal-polyfill'
import { HaloError, messageOf } from '../../errors.ts'
import { formatted } from './time-layout.ts'
import { knownZone } from './time-zones.ts'

type Zoned = Temporal.ZonedDateTime

const fault = (message: string): HaloError => new HaloError('TOOL_ERROR', message)

export function written(at: number, tz: string, layout?: string): string {
  const time = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(knownZone(tz))
  return layout === undefined ? rfc3339(time, 'second') : formatted(time, layout)
}

export function convert(input: string, tz: string, { from, layout }: { from?: string; layout?: string }): string {
  const zone = knownZone(tz)
  return shown(read(input, from).withTimeZone(zone), layout)
}

export function add(input: string, duration: string, { tz, layout }: { tz?: string; layout?: string }): string {
  const time = inZone(read(input, tz), tz)
  const by = readDuration(duration)
  try {
    return shown(time.add(by), layout)
  } catch (error) {
    if (error instanceof HaloError) throw error
    throw fault(`${duration} after ${input} is outside of the years that can be written, 0000 to 9999.`)
  }
}

export function diff(from: string, to: string, { unit, tz }: { unit?: string; tz?: string }) {
  const zone = tz ?? 'UTC'
  const start = inZone(read(from, tz), zone)
  const end = inZone(read(to, tz), zone)
  const between = start.until(end, { largestUnit: 'day' })
  const seconds = start.toInstant().until(end.toInstant()).total('second')
  if (unit === undefined) return { duration: between.toString(), seconds }
  return { duration: between.toString(), seconds, value: between.total({ unit: unit as 'days', relativeTo: start }), unit }
}

const inZone = (time: Zoned, tz: string | undefined): Zoned => (tz === undefined ? time : time.withTimeZone(knownZone(tz)))

function shown(time: Zoned, layout: string | undefined): string {
  return layout === undefined ? rfc3339(time, 'auto') : formatted(time, layout)
}

function rfc3339(time: Zoned, smallest: 'second' | 'auto'): string {
  if (time.year < 0 || time.year > 9999) throw fault(`The year ${time.year} can't be written: RFC 3339 has those from 0000 to 9999.`)
  const precision = smallest === 'auto' ? { fractionalSecondDigits: 'auto' as const } : { smallestUnit: smallest }
  if (time.timeZoneId === 'UTC') return time.toInstant().toString(precision)
  return time.toString({ ...precision, timeZoneName: 'never' })
}

/** With an offset or a zone of its own, or in the zone that is given for those without. */
function read(text: string, tz: string | undefined): Zoned {
  const given = text.trim()
  try {
    if (given.endsWith(']')) return Temporal.ZonedDateTime.from(given)
    const offset = /(?:z|[+-]\d\d(?::?\d\d)?)$/i.exec(/[t ](.*)$/i.exec(given)?.[1] ?? '')?.[0]
    if (offset !== undefined) return Temporal.Instant.from(given).toZonedDateTimeISO(/^z$/i.test(offset) ? 'UTC' : offset)
  } catch (error) {
    throw fault(`${JSON.stringify(text)} is no time: ${reason(error)}`)
  }
  return inPlace(text, given, tz)
}

function inPlace(text: string, given: string, tz: string | undefined): Zoned {
  let local: Temporal.PlainDateTime
  try {
    if (!/^\d{4}-\d\d-\d\d(?:$|[t ]\d\d:)/i.test(given)) throw new RangeError('it is written otherwise')
    local = Temporal.PlainDateTime.from(given, { overflow: 'reject' })
  } catch (error) {
    throw fault(`${JSON.stringify(text)} is no time: ${reason(error)}`)
  }
  if (tz === undefined) throw fault(`${JSON.stringify(text)} has no offset: add one (Z, +02:00), or name its time zone.`)
  const zone = knownZone(tz)
  if (given.length === 10) return local.toPlainDate().toZonedDateTime(zone)
  const [earlier, later] = (['earlier', 'later'] as const).map((disambiguation) => local.toZonedDateTime(zone, { disambiguation })) as [Zoned, Zoned]
  if (earlier.equals(later)) return earlier
  if (earlier.toPlainDateTime().equals(local)) throw fault(`${text} comes twice in ${zone}, as clocks are set back: add the offset, ${earlier.offset} or ${later.offset}.`)
  throw fault(`${text} doesn't exist in ${zone}: clocks are set forward, from ${earlier.toPlainTime().toString({ smallestUnit: 'minute' })} to ${later.toPlainTime().toString({ smallestUnit: 'minute' })}.`)
}

/** A calendar's own words where they say what is out of range; those of its parser say nothing. */
function reason(error: unknown): string {
  const words = messageOf(error)
  const wanted = 'give RFC 3339, such as 2026-03-29T10:00:00Z or 2026-03-29T10:00:00+02:00.'
  return /out of bounds|out-of-bounds|Offset/i.test(words) ? `${words}; ${wanted}` : wanted
}

/** Units stay what they are: a day isn't always 24 hours. A part of one is milliseconds. */
const UNITS = { ms: ['milliseconds', 1], s: ['seconds', 1000], m: ['minutes', 60_000], h: ['hours', 3_600_000], d: ['days', undefined], w: ['weeks', undefined] } as const
const PART = /(\d+(?:\.\d+)?)(ms|[smhdw])/g

function readDuration(text: string): Temporal.Duration {
  const given = text.trim()
  try {
    if (/^[+-]?p/i.test(given)) return Temporal.Duration.from(given)
    const [, sign = '', body = ''] = /^([+-]?)((?:\d+(?:\.\d+)?(?:ms|[smhdw]))+)$/.exec(given) ?? []
    if (body !== '') {
      const sum = Temporal.Duration.from(sumOf(body, text))
      return sign === '-' ? sum.negated() : sum
    }
  } catch (error) {
    // What the calendar refuses is no duration either: said below.
    if (error instanceof HaloError) throw error
  }
  throw fault(`${JSON.stringify(text)} is no duration: write 90m, 1h30m, -2d, 1w, or ISO 8601 such as P1M or PT36H (m are minutes; a month is P1M).`)
}

function sumOf(body: string, text: string) {
  const sum = { weeks: 0, days: 0, hours: 0, minutes: 0, seconds: 0, milliseconds: 0 }
  for (const [, amount = '', unit] of body.matchAll(PART)) {
    const [field, ms] = UNITS[unit as keyof typeof UNITS]
    if (!amount.includes('.')) sum[field] += Number(amount)
    else if (ms === undefined) throw fault(`${JSON.stringify(text)} has a part of a day or of a week: write it in hours.`)
    else sum.milliseconds += Math.round(Number(amount) * ms)
  }
  return sum
}
