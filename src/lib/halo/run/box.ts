import { HaloError, messageOf } from '../errors.ts'
import type { Sandbox } from '../sandbox/types.ts'
import type { RuntimeConfig } from './types.ts'

/** The sandbox of a configuration: made on first use, and tried again where it could not be started. */
export function sandboxOf(config: Pick<RuntimeConfig, 'sandbox'>): () => Promise<Sandbox> {
  let made: Promise<Sandbox> | undefined
  const make = async (): Promise<Sandbox> => {
    try {
      if (config.sandbox !== undefined) return await config.sandbox()
      const { memorySandbox } = await import('../sandbox/memory.ts')
      return memorySandbox()
    } catch (error) {
      made = undefined
      throw new HaloError('TOOL_ERROR', `The sandbox could not be started: ${messageOf(error)}`, { cause: error })
    }
  }
  return () => (made ??= make())
}
