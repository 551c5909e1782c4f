/** What the figures are taken on: a model that answers at once from a script, and a tool that gives 200 characters. */
export const TEXT = 'x'.repeat(200)
export const PROMPT = 'Do the task.'
export const DONE = 'done'

/** Asks for one call a step, then answers. Counts what it was shown, so that a loop that drops history is caught. */
export function script(steps) {
  let step = 0
  const seen = { requests: 0, messages: 0 }
  return {
    seen,
    next(messages) {
      seen.requests++
      seen.messages += messages
      return step < steps ? { id: `call_${step}`, args: { q: `item ${step++}` } } : undefined
    },
  }
}

/** @throws unless the whole conversation was shown at each step */
export function verify({ seen }, steps, text) {
  const least = (steps + 1) ** 2
  if (seen.requests !== steps + 1 || seen.messages < least || text !== DONE) {
    throw new Error(`${steps} steps: ${seen.requests} requests, ${seen.messages} messages (at least ${least}), answer ${JSON.stringify(text)}`)
  }
}

export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN
