/** `Slack(token, channel:)`: messages through Slack's Web API (https://api.slack.com/methods/chat.postMessage). */
import { Type } from 'typebox'
import { HaloError } from '../../errors.ts'
import { httpError } from '../failure.ts'
import { TransientError, type ProviderDefinition } from '../types.ts'

const URL = 'https://slack.com/api/chat.postMessage'
/** Slack cuts longer texts by itself, without a word. */
const MAX_TEXT = 40_000

export const slack: ProviderDefinition = {
  name: 'Slack',
  description: 'Posts messages to a Slack channel as an app.',
  config: Type.Object({
    token: Type.String({ description: 'A bot token with the scope chat:write: Env.SLACK_BOT_TOKEN.' }),
    channel: Type.Optional(Type.String({ description: 'The channel to post to when a call names none: #name or an id.' })),
  }),
  info: {
    post: {
      description: 'Posts a message to the channel.',
      parameters: Type.Object(
        {
          text: Type.String({ minLength: 1, maxLength: MAX_TEXT, description: 'The message, in Slack\'s markup.' }),
          channel: Type.Optional(Type.String({ description: 'Another channel than the configured one.' })),
          thread_ts: Type.Optional(Type.String({ description: 'The ts of a message to answer in its thread.' })),
        },
        { additionalProperties: false },
      ),
      effect: 'external',
      network: true,
      result: Type.Object({ ok: Type.Literal(true), channel: Type.String(), ts: Type.String() }),
    },
  },
  provider: ({ token, channel }) => {
    if (typeof token !== 'string' || token === '') throw new HaloError('TOOL_CONFIG', 'Slack needs a token: Slack(Env.SLACK_BOT_TOKEN, channel: "#notes").')
    return {
      post: async (args, { fetch, signal }) => {
        const to = args.channel ?? channel
        if (typeof to !== 'string' || to === '') throw new HaloError('TOOL_CONFIG', 'Slack has no channel to post to: give channel: in the declaration or the call.')
        const response = await fetch(URL, {
          method: 'POST',
          headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` },
          body: JSON.stringify({ channel: to, text: args.text, ...(args.thread_ts === undefined ? {} : { thread_ts: args.thread_ts }) }),
          signal,
        })
        if (!response.ok) throw httpError(response)
        return answerOf(await response.json())
      },
    }
  },
}

/** Slack says in a 200 whether it worked. */
function answerOf(body: unknown): { ok: true; channel: string; ts: string } {
  const { ok, error, channel, ts } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  if (ok === true) return { ok, channel: String(channel), ts: String(ts) }
  const reason = typeof error === 'string' ? error : 'an answer it could not be read from'
  if (reason === 'ratelimited' || reason === 'rate_limited') throw new TransientError('Slack refused the message: too many requests.', { status: 429 })
  throw new HaloError('TOOL_ERROR', `Slack refused the message: ${reason}.${HINTS[reason] ?? ''}`)
}

const HINTS: Record<string, string> = {
  not_in_channel: ' Invite the app to the channel.',
  channel_not_found: ' Check the name, and that the app may see the channel.',
  invalid_auth: ' Check the token.',
  not_authed: ' Check the token.',
  missing_scope: ' The app needs the scope chat:write.',
}
