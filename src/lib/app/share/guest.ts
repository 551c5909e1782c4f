const PREFIX = 'shared:'
/** New each time: what this page still holds of an earlier guest must not mix with it. */
export const guestId = (): string => PREFIX + crypto.randomUUID()
/** Was it opened from a link or a file, and not kept as the person's own? */
export const isGuest = ({ id }: { id: string }): boolean => id.startsWith(PREFIX)
