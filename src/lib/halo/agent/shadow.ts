import { HaloError, messageOf } from '../errors.ts'
import { credentialsFromEnv } from '../models/credentials.ts'
import { costOf } from '../models/prices.ts'
import { modelAdapter } from '../models/registry.ts'
import type { Usage } from '../models/types.ts'
import { maskSecrets } from '../run/secrets.ts'
import { inputBytes } from './conversation.ts'
import { FREE, priceFor, requestOf, type Conversation } from './request.ts'

/** `@shadow`: the same request to other models, beside the run: nothing of it is recorded, and nothing can come of it. */
export function startShadows(talk: Conversation, path: string, step: number, last: boolean): void {
  const { frame, decorators, agent, task, span } = talk
  const { run } = frame
  const masked = (text: string): string => maskSecrets(text, run.world.config.env) as string
  for (const model of decorators.shadows ?? []) {
    const started = run.world.clock.now()
    const common = { type: 'shadow' as const, path, span, agent, task, model: `${model.provider}/${model.id}` }
    const ask = async (): Promise<void> => {
      const { config } = run.world
      const other: Conversation = { ...talk, model, frame: { ...frame }, messages: talk.messages.slice(), size: { bytes: 0, counted: 0 }, connection: undefined }
      const limit = talk.policies.maxSpend
      const price = await priceFor(other)
      if (limit !== undefined && price === undefined) throw new HaloError('SPEND_LIMIT', 'its price is not known, and MaxSpend holds here')
      const adapter = await modelAdapter(model.provider, { keys: config.keys ?? credentialsFromEnv(config.env ?? {}), models: config.models })
      const worst = { inputTokens: inputBytes(talk), price: price ?? FREE }
      const reservation = await run.spend.reserve(worst, talk.settings.maxTokens, limit, frame.scope)
      let cost = 0
      try {
        let text = ''
        let usage: Usage | undefined
        for await (const chunk of adapter.stream({ ...requestOf(other, step, last, reservation.maxTokens), baseUrl: undefined }, frame.scope.signal)) {
          if (chunk.type === 'text') text += chunk.text
          else if (chunk.type === 'usage') usage = chunk.usage
        }
        cost = price === undefined ? 0 : costOf(usage ?? { input: inputBytes(talk), output: text.length }, price)
        run.emit({ ...common, text: (await talk.policies.redactValue(masked(text))) as string, usage, ms: run.world.clock.now() - started })
      } finally {
        reservation.settle(cost)
      }
    }
    ask().catch((error: unknown) => {
      run.emit({ ...common, error: masked(messageOf(error)), ms: run.world.clock.now() - started })
    })
  }
}
