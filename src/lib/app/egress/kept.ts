/** Where a person agreed that the requests of a project may go, as it is stored. */
export const PREFIX = 'egress:'
export const keyOf = (projectId: string): string => `${PREFIX}${projectId}`
/** Each once: two tabs may have asked about the same. */
export const readOrigins = (kept: unknown): string[] => (Array.isArray(kept) ? [...new Set(kept)].filter((one) => typeof one === 'string') : [])
