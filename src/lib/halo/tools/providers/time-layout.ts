/** A time written by a layout: strftime's letters, or the reference time Mon Jan 2 15:04:05 MST 2006. */
import type { Temporal } from 'temporal-polyfill'
import { HaloError } from '../../errors.ts'
import { shortName } from './time-zones.ts'

type Zoned = Temporal.ZonedDateTime
type Write = (time: Zoned) => string

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const two = (n: number): string => String(n).padStart(2, '0')
const blank = (n: number, width = 2): string => String(n).padStart(width, ' ')
const three = (n: number): string => String(n).padStart(3, '0')
const month = (time: Zoned): string => MONTHS[time.month - 1] ?? ''
const weekday = (time: Zoned): string => DAYS[time.dayOfWeek - 1] ?? ''
const hour12 = ({ hour }: Zoned): number => hour % 12 || 12
const half = ({ hour }: Zoned): string => (hour < 12 ? 'AM' : 'PM')
const year = (time: Zoned): string => String(time.year).padStart(4, '0')
const nanoseconds = (time: Zoned): string => three(time.millisecond) + three(time.microsecond) + three(time.nanosecond)

/** `+02:00`, with seconds where they are asked for. */
function offset(time: Zoned, colon: string, parts: 1 | 2 | 3): string {
  const seconds = Math.abs(Math.trunc(time.offsetNanoseconds / 1e9))
  const fields = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].slice(0, parts)
  return (time.offsetNanoseconds < 0 ? '-' : '+') + fields.map(two).join(colon)
}
const orZ = (time: Zoned, colon: string, parts: 1 | 2 | 3): string => (time.offsetNanoseconds === 0 ? 'Z' : offset(time, colon, parts))

/** The week of the year, counted from its first Sunday (0) or Monday (1). */
const weekFrom = (time: Zoned, first: 0 | 1): number => Math.floor((time.dayOfYear + 6 - ((time.dayOfWeek - first) % 7)) / 7)

const LETTERS: Record<string, Write> = {
  '%': () => '%',
  a: (t) => weekday(t).slice(0, 3),
  A: weekday,
  b: (t) => month(t).slice(0, 3),
  B: month,
  c: (t) => strftime(t, '%a %b %e %H:%M:%S %Y'),
  C: (t) => two(Math.floor(t.year / 100)),
  d: (t) => two(t.day),
  D: (t) => strftime(t, '%m/%d/%y'),
  e: (t) => blank(t.day),
  f: (t) => nanoseconds(t).slice(0, 6),
  F: (t) => strftime(t, '%Y-%m-%d'),
  g: (t) => two((t.yearOfWeek ?? t.year) % 100),
  G: (t) => String(t.yearOfWeek ?? t.year).padStart(4, '0'),
  h: (t) => month(t).slice(0, 3),
  H: (t) => two(t.hour),
  I: (t) => two(hour12(t)),
  j: (t) => three(t.dayOfYear),
  k: (t) => blank(t.hour),
  l: (t) => blank(hour12(t)),
  L: (t) => three(t.millisecond),
  m: (t) => two(t.month),
  M: (t) => two(t.minute),
  n: () => '\n',
  N: nanoseconds,
  p: half,
  P: (t) => half(t).toLowerCase(),
  r: (t) => strftime(t, '%I:%M:%S %p'),
  R: (t) => strftime(t, '%H:%M'),
  s: (t) => String(Math.floor(t.epochMilliseconds / 1000)),
  S: (t) => two(t.second),
  t: () => '\t',
  T: (t) => strftime(t, '%H:%M:%S'),
  u: (t) => String(t.dayOfWeek),
  U: (t) => two(weekFrom(t, 0)),
  V: (t) => two(t.weekOfYear ?? 0),
  w: (t) => String(t.dayOfWeek % 7),
  W: (t) => two(weekFrom(t, 1)),
  x: (t) => strftime(t, '%m/%d/%y'),
  X: (t) => strftime(t, '%H:%M:%S'),
  y: (t) => two(t.year % 100),
  Y: year,
  z: (t) => offset(t, '', 2),
  ':z': (t) => offset(t, ':', 2),
  Z: shortName,
}

function strftime(time: Zoned, layout: string): string {
  // "-" leaves the filling out: %-d is 7 where %d is 07.
  return layout.replace(/%(-?)(:z|.|$)/gsu, (all, bare: string, letter: string) => {
    const write = Object.hasOwn(LETTERS, letter) ? LETTERS[letter] : undefined
    if (write === undefined) throw new HaloError('TOOL_ERROR', `strftime has no ${all} that is known here; a percent sign by itself is %%.`)
    const text = write(time)
    return bare === '' ? text : text.replace(/^[0 ]+(?=.)/, '')
  })
}

const NAMED: Record<string, string> = {
  ANSIC: 'Mon Jan _2 15:04:05 2006',
  UnixDate: 'Mon Jan _2 15:04:05 MST 2006',
  RubyDate: 'Mon Jan 02 15:04:05 -0700 2006',
  RFC822: '02 Jan 06 15:04 MST',
  RFC822Z: '02 Jan 06 15:04 -0700',
  RFC850: 'Monday, 02-Jan-06 15:04:05 MST',
  RFC1123: 'Mon, 02 Jan 2006 15:04:05 MST',
  RFC1123Z: 'Mon, 02 Jan 2006 15:04:05 -0700',
  RFC3339: '2006-01-02T15:04:05Z07:00',
  RFC3339Nano: '2006-01-02T15:04:05.999999999Z07:00',
  Kitchen: '3:04PM',
  Stamp: 'Jan _2 15:04:05',
  StampMilli: 'Jan _2 15:04:05.000',
  StampMicro: 'Jan _2 15:04:05.000000',
  StampNano: 'Jan _2 15:04:05.000000000',
  DateTime: '2006-01-02 15:04:05',
  DateOnly: '2006-01-02',
  TimeOnly: '15:04:05',
}

/** What stands in a layout for what: each part of the reference time as it is written there. */
const REFERENCE: Record<string, Write> = {
  January: month,
  Jan: (t) => month(t).slice(0, 3),
  Monday: weekday,
  Mon: (t) => weekday(t).slice(0, 3),
  MST: shortName,
  2006: year,
  'Z07:00:00': (t) => orZ(t, ':', 3),
  Z070000: (t) => orZ(t, '', 3),
  'Z07:00': (t) => orZ(t, ':', 2),
  Z0700: (t) => orZ(t, '', 2),
  Z07: (t) => orZ(t, '', 1),
  '-07:00:00': (t) => offset(t, ':', 3),
  '-070000': (t) => offset(t, '', 3),
  '-07:00': (t) => offset(t, ':', 2),
  '-0700': (t) => offset(t, '', 2),
  '-07': (t) => offset(t, '', 1),
  '002': (t) => three(t.dayOfYear),
  __2: (t) => blank(t.dayOfYear, 3),
  _2: (t) => blank(t.day),
  '01': (t) => two(t.month),
  '02': (t) => two(t.day),
  '03': (t) => two(hour12(t)),
  '04': (t) => two(t.minute),
  '05': (t) => two(t.second),
  '06': (t) => two(t.year % 100),
  15: (t) => two(t.hour),
  PM: half,
  pm: (t) => half(t).toLowerCase(),
  1: (t) => String(t.month),
  2: (t) => String(t.day),
  3: (t) => String(hour12(t)),
  4: (t) => String(t.minute),
  5: (t) => String(t.second),
}
const PARTS =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|Z07:00:00|Z070000|Z07:00|Z0700|Z07|-07:00:00|-070000|-07:00|-0700|-07|002|__2|_2(?!006)|0[1-6]|15|PM|pm|[.,](?:0+|9+)(?!\d)|[1-5]/g

function byReference(time: Zoned, layout: string): string {
  let parts = 0
  const text = layout.replace(PARTS, (part) => {
    parts++
    return REFERENCE[part]?.(time) ?? fraction(time, part)
  })
  if (parts > 0) return text
  throw new HaloError('TOOL_ERROR', `The layout ${JSON.stringify(layout)} names no part of a time. Write strftime ("%Y-%m-%d %H:%M"), or the reference time Mon Jan 2 15:04:05 MST 2006 as you want it ("2006-01-02 15:04").`)
}

/** `.000` has just as many digits, `.999` at most as many and none at the end that is 0. */
function fraction(time: Zoned, part: string): string {
  const digits = nanoseconds(time).slice(0, part.length - 1).padEnd(part.length - 1, '0')
  if (part[1] === '0') return `${part[0]}${digits}`
  const kept = digits.replace(/0+$/, '')
  return kept === '' ? '' : `${part[0]}${kept}`
}

export function formatted(time: Zoned, layout: string): string {
  if (layout.includes('%')) return strftime(time, layout)
  return byReference(time, (Object.hasOwn(NAMED, layout) ? NAMED[layout] : undefined) ?? layout)
}
