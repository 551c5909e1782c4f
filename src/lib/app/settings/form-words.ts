/** Words about what was typed into the forms of providers and variables. */
export const formWords = {
  /** Shorter than the library's names, which stand in sentences. */
  titles: { 'openai-compatible': 'OpenAI-compatible server', browser: 'The browser’s own model', google: 'Google Gemini' } as Record<string, string>,
  addressFirst: (title: string) => `${title} has no address of its own: give the base URL first. A key and headers only go to the address they were saved for.`,
  mixed: (from: string, to: string) => `What is kept belongs to ${from}. To move to ${to}, enter the key and every header anew, or remove them.`,
  badAddress: (text: string) => `“${text}” isn’t a web address. It must begin with https:// or http://, as in http://localhost:1234/v1.`,
  addressWithPassword: 'A base URL must not hold a user name or password. Put them into a header.',
  addressWithQuery: 'A base URL ends with its path: leave out ? and #.',
  badKey: 'The key holds a space, or a character that keys don’t have. Copy it again, alone.',
  emptyHeader: (name: string) => `The header “${name}” has no value.`,
  badHeader: (name: string) => `“${name}” can’t be sent as a header: names are letters, digits and -, values have no line breaks.`,
  twice: (name: string) => `The header “${name}” is there twice.`,
  badModel: (name: string) => `“${name}” can’t be the name of a model: no blanks, quotes or brackets. Write one model in each line.`,
  elsewhere: (title: string, from: string, to: string) => `The key saved for ${title} belongs to ${from}, but its base URL is ${to} now. Enter the key again in Settings.`,
  badVariable: (name: string) => `“${name}” can’t be read as Env.${name}: names are letters, digits and _, and begin with no digit.`,
  emptyVariable: (name: string) => `${name} has no value.`,
}
