/** Names of time zones: checked, with those that may have been meant, and their short forms. */
import { Temporal } from 'temporal-polyfill'
import { nearest } from '../../check/nearest.ts'
import { HaloError } from '../../errors.ts'

/** The zone as it is, or an error that names those that may have been meant. */
export function knownZone(name: string): string {
  const wanted = name.trim()
  // What is no zone by itself, but a whole time that has one, is taken too by Temporal.
  if (!/^\d/.test(wanted)) {
    try {
      return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(wanted).timeZoneId
    } catch {
      // Said below, with what may have been meant.
    }
  }
  const near = nearZones(wanted)
  const meant = near.length === 0 ? 'IANA names are like Europe/Berlin or America/New_York' : `Did you mean ${near.join(' or ')}`
  throw new HaloError('TOOL_ERROR', `There is no time zone ${JSON.stringify(name)}. ${meant}${near.length === 0 ? '.' : '?'}`)
}

const bare = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')
const city = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1)

/** At most three: zones whose city it is, else those spelt most alike. */
function nearZones(wanted: string): string[] {
  const zones = [...Intl.supportedValuesOf('timeZone'), 'UTC']
  const plain = bare(city(wanted))
  if (plain === '') return []
  const same = zones.filter((zone) => bare(city(zone)) === plain || bare(zone) === bare(wanted))
  if (same.length > 0) return same.slice(0, 3)
  const whole = nearest(wanted, zones)
  const like = nearest(plain, zones.map((zone) => bare(city(zone))))
  const alike = like === undefined ? [] : zones.filter((zone) => bare(city(zone)) === like)
  return [...new Set([...(whole === undefined ? [] : [whole]), ...alike])].slice(0, 3)
}

/** Each language of the tables knows the short names of its own part of the world. */
const LANGUAGES = ['en-US', 'en-GB', 'en-AU', 'en-NZ', 'en-ZA', 'en-IN', 'ja']

/** CEST, EST, JST; `+03` where a zone has none. */
export function shortName(time: Temporal.ZonedDateTime): string {
  if (time.timeZoneId === 'UTC') return 'UTC'
  if (!/^[+-]/.test(time.timeZoneId)) {
    for (const language of LANGUAGES) {
      const parts = new Intl.DateTimeFormat(language, { timeZone: time.timeZoneId, timeZoneName: 'short' }).formatToParts(time.epochMilliseconds)
      const name = parts.find(({ type }) => type === 'timeZoneName')?.value
      if (name !== undefined && /^[A-Z]{2,5}$/.test(name)) return name
    }
  }
  return time.offset.replace(/:00$/, '').replace(':', '')
}
