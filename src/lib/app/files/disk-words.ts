/** All words about a folder of the disk that is a workspace. */
const list = (items: readonly string[]): string => (items.length > 6 ? `${items.slice(0, 5).join(', ')} and ${items.length - 5} more` : items.join(', '))

export const diskWords = {
  folder: (name: string) => `Folder “${name}”`,
  onDisk: 'on your disk',
  works: (name: string) => `Live runs and the terminal work on the folder “${name}” of your disk. Scenarios, tests and mock runs don’t.`,
  use: 'Use a folder of my disk…',
  useElsewhere: 'Use a folder of my disk: once you have agreed to what this project may do.',
  leave: 'Leave the folder',
  busy: 'A run is under way and may be at work in the folder. Stop it or let it end, then leave the folder.',
  again: 'Read again',
  reading: 'The folder is read…',
  needsLeave: (name: string) => `The browser wants your permission again for the folder “${name}”.`,
  allow: 'Allow access',
  denied: (name: string) => `The browser gives the page no access to the folder “${name}”. Allow access under Files, or leave the folder, then try again.`,
  gone: (name: string) => `The folder “${name}” is no longer where it was. Put it back and read it again, or leave it.`,
  leftOut: (paths: readonly string[]) => `Not read, and out of reach of tools: ${list(paths)}.`,
  tooMany: (n: number) => `${n.toLocaleString('en')} more files`,
  tooLarge: (path: string, size: string) => `${path} (${size})`,
  changed: (path: string) => `"${path}" was changed on the disk meanwhile, and was left as it is there. Read it again first.`,
  there: (path: string) => `There is a "${path}" on the disk that is not part of this workspace (too large, or too many files). It was left as it is.`,
  closed: (path: string) => `"${path}" lies in a folder that is not part of this workspace (such as .git and node_modules). It was left as it is.`,
  badName: (path: string) => `"${path}" can't be a file's name on this disk.`,
  failed: (path: string, why: string) => `"${path}" could not be written to the disk: ${why}`,
  kept: (path: string, beside: string) => `"${path}" was changed on the disk meanwhile and is as it was there; what should have been written is in "${beside}".`,
}
