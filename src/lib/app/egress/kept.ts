/** Where a person agreed that the requests of a project may go, as it is stored. */
export const PREFIX = 'egress:'
export const keyOf = (projectId: string): string => `${PREFIX}${projectId}`
export const readOrigins = (kept: unknown): string[] => (Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [])
