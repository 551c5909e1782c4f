const n = (tokens: number) => tokens.toLocaleString('en')

/** Words of the figures under a model's answer. */
export const modelRowWords = {
  input: (tokens: number) => `${n(tokens)} in`,
  cacheRead: (tokens: number) => `${n(tokens)} from cache`,
  cacheWrite: (tokens: number) => `${n(tokens)} to cache`,
  output: (tokens: number) => `${n(tokens)} out`,
  reasoning: (tokens: number) => `${n(tokens)} of them reasoning`,
  attempts: (times: number) => `${times} attempts`,
  window: (used: number, size: number) => `${n(used)} of ${n(size)} tokens of the context window`,
  cut: 'cut at max_tokens',
  cutWhy: 'The answer was longer than max_tokens allows. Raise max_tokens in the agent’s brackets.',
  filtered: 'stopped by a content filter',
  raw: 'Raw',
  rawOf: (model: string) => `Raw request and response of ${model}`,
  rawGone: 'What went over the wire is only held while the tab is open, and is in no recording.',
  request: (at: number, all: number) => (all > 1 ? `Request ${at + 1}` : 'Request'),
  response: (at: number, all: number) => (all > 1 ? `Response ${at + 1}` : 'Response'),
  total: (input: number, output: number) => `${n(input)} in, ${n(output)} out`,
  totalTitle: (cached: number) => (cached > 0 ? `Tokens; ${n(cached)} read from the cache` : 'Tokens'),
}
