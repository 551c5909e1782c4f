/** All words of the Recordings panel. */
export const recordingWords = {
  panel: 'Recordings of runs',
  empty: 'No runs are kept yet.',
  emptyNext: 'Each run of a scenario or of live models is kept here, entry by entry; a run that waits can be opened and gone on with.',
  search: 'Search recordings',
  none: 'No recording matches.',
  open: 'Open',
  delete: 'Delete',
  entries: (n: number) => `${n} ${n === 1 ? 'entry' : 'entries'}`,
  waits: 'waits for you',
  interrupted: 'interrupted',
  note: 'Recordings hold what was said and read as it was, unredacted, in this browser only.',
}
