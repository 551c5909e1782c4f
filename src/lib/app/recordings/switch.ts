import { readPreference, writePreference } from '../settings/preferences.ts'

const KEY = 'halo-record'

/** Are runs recorded in this browser? */
export const recordsRuns = (): boolean => readPreference(KEY) !== 'off'
export const recordRuns = (on: boolean): void => writePreference(KEY, on ? 'on' : 'off')
