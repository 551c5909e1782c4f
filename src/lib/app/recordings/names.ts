import type { StoredRun } from '../../storage/index.ts'

/** What a recording is called: by its person, else by its pipeline. */
export const nameOf = ({ name, pipeline }: Pick<StoredRun, 'name' | 'pipeline'>): string => name ?? pipeline
export const modeOf = ({ mode }: Pick<StoredRun, 'mode'>): string => mode?.replace(/^scenario:/, '') ?? ''
