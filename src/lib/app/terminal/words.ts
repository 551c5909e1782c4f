/** All words of the Terminal. */
export const terminalWords = {
  panel: 'Terminal on the workspace',
  input: 'Command',
  hint: 'The shell tools use: files are the workspace’s. Try “ls”.',
  cancel: 'Break off',
  output: 'Output of commands',
  changed: (n: number) => `${n} ${n === 1 ? 'file' : 'files'} changed`,
}
