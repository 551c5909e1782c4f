/**
 * The yardstick: the least that any loop does. The model is awaited, the tool is awaited, each message is kept, and each new
 * one is turned into text once, as a journal would have to.
 */
import { DONE, PROMPT, TEXT, script, verify } from './fixture.mjs'

const tool = async () => TEXT

export async function bareSteps(steps) {
  const model = script(steps)
  const ask = async (messages) => model.next(messages.length)
  const messages = [{ role: 'user', content: PROMPT }]
  let written = JSON.stringify(messages[0]).length
  const keep = (message) => {
    messages.push(message)
    written += JSON.stringify(message).length
  }
  for (;;) {
    const call = await ask(messages)
    if (call === undefined) break
    keep({ role: 'assistant', toolCalls: [call] })
    keep({ role: 'tool', id: call.id, content: await tool(call.args) })
  }
  keep({ role: 'assistant', content: DONE })
  verify(model, steps, DONE)
  return { messages, written }
}

/** Stops before each call; the whole conversation is the state and goes through text. */
export async function bareApprovals(cycles) {
  const model = script(cycles)
  let messages = [{ role: 'user', content: PROMPT }]
  for (;;) {
    const call = await Promise.resolve(model.next(messages.length))
    if (call === undefined) break
    messages.push({ role: 'assistant', toolCalls: [call] })
    messages = JSON.parse(JSON.stringify(messages))
    messages.push({ role: 'tool', id: call.id, content: await tool(call.args) })
  }
  verify(model, cycles, DONE)
}
