/** `Time()`: what time it is, and reckoning with times and zones. */
import { Type } from 'typebox'
import type { ProviderDefinition, ToolContext } from '../types.ts'

const strict = { additionalProperties: false }
// The argument is called input, so that in a pipeline the flowing value fills it.
const time = (of: string) => Type.String({ minLength: 1, description: `${of}: RFC 3339 (2026-03-29T10:00:00+02:00), or without an offset where a zone is given.` })
const zone = (of: string) => Type.String({ minLength: 1, description: `${of}: an IANA name such as Europe/Berlin, UTC, or an offset such as +02:00.` })
const layout = Type.Optional(
  Type.String({ minLength: 1, description: 'How to write it: strftime ("%d.%m.%Y %H:%M"), the reference time "Mon Jan 2 15:04:05 MST 2006" written as wanted, or a name such as RFC1123. Default: RFC 3339.' }),
)
const written = Type.String({ description: 'The time, as the layout says; RFC 3339 without one.' })

const loaded = () => import('./time-reckoning.ts')
/** The clock of the run, which tests can set; outside of a run there is the machine's. */
const clock = (context: ToolContext): number => context.now?.() ?? Date.now()

export const timeProvider: ProviderDefinition = {
  name: 'Time',
  description: 'The current time, and reckoning with times: zones, durations, layouts.',
  config: Type.Object({}, strict),
  info: {
    now: {
      description: 'The current time in UTC, as RFC 3339 or by a layout.',
      parameters: Type.Object({ layout }, strict),
      effect: 'read',
      result: written,
    },
    now_in_tz: {
      description: 'The current time in a time zone, as RFC 3339 or by a layout.',
      parameters: Type.Object({ tz: zone('The zone'), layout }, strict),
      effect: 'read',
      result: written,
    },
    convert: {
      description: 'The same moment in another time zone.',
      parameters: Type.Object({ input: time('The time'), tz: zone('The zone to write it in'), from: Type.Optional(zone('The zone of a time without an offset')), layout }, strict),
      effect: 'read',
      result: written,
    },
    add: {
      description: 'A time moved by a duration: 90m, 1h30m, -2d, 1w, or ISO 8601 such as P1M. In a zone, days and longer keep the time of day.',
      parameters: Type.Object(
        {
          input: time('The time'),
          duration: Type.String({ minLength: 1, description: 'Units ms, s, m, h, d, w (1h30m; -2d), or ISO 8601 (P1Y2M3DT4H).' }),
          tz: Type.Optional(zone('The zone to reckon and write in. Default: the offset of the time')),
          layout,
        },
        strict,
      ),
      effect: 'read',
      result: written,
    },
    diff: {
      description: 'How long it is from one time to another; negative where the second is earlier. In a zone, days and longer follow the calendar.',
      parameters: Type.Object(
        {
          from: time('The first time'),
          to: time('The second time'),
          unit: Type.Optional(
            Type.Union(['milliseconds', 'seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'years'].map((unit) => Type.Literal(unit)), { description: 'Give the length in this unit too, with its fraction.' }),
          ),
          tz: Type.Optional(zone('The zone whose calendar counts. Default: UTC')),
        },
        strict,
      ),
      effect: 'read',
      result: Type.Object({
        duration: Type.String({ description: 'ISO 8601, in days and less: P1DT2H.' }),
        seconds: Type.Number({ description: 'What really passes.' }),
        value: Type.Optional(Type.Number({ description: 'In the unit asked for.' })),
        unit: Type.Optional(Type.String()),
      }),
    },
  },
  provider: () => ({
    now: async ({ layout }, context) => (await loaded()).written(clock(context), 'UTC', layout as string | undefined),
    now_in_tz: async ({ tz, layout }, context) => (await loaded()).written(clock(context), String(tz), layout as string | undefined),
    convert: async ({ input, tz, from, layout }) => (await loaded()).convert(String(input), String(tz), { from: from as string | undefined, layout: layout as string | undefined }),
    add: async ({ input, duration, tz, layout }) => (await loaded()).add(String(input), String(duration), { tz: tz as string | undefined, layout: layout as string | undefined }),
    diff: async ({ from, to, unit, tz }) => (await loaded()).diff(String(from), String(to), { unit: unit as string | undefined, tz: tz as string | undefined }),
  }),
}
