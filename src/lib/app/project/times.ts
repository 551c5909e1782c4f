/** A time as a person says it: the hour for today, else the day too. */
export function timeOf(at: number, now = Date.now()): string {
  const today = new Date(at).toDateString() === new Date(now).toDateString()
  const options: Intl.DateTimeFormatOptions = today ? { hour: '2-digit', minute: '2-digit', second: '2-digit' } : { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }
  if (!today && new Date(at).getFullYear() !== new Date(now).getFullYear()) options.year = 'numeric'
  return new Intl.DateTimeFormat('en', options).format(at)
}
