import { HaloError } from '../../errors.ts'
import type { EachStage } from '../../syntax/ast.ts'
import { located, spanIn, valueOf, type Frame } from '../frame.ts'
import { bodyPlace, runChain, type Place } from '../interpreter.ts'
import { together } from './group.ts'

/** Items at a time when `limit:` isn't given. */
const DEFAULT_LIMIT = 4

/** The body for each item of the list that flows in; the list of what it gives, in order. */
export async function runEach(frame: Frame, stage: EachStage, { path }: Place): Promise<unknown> {
  const span = spanIn(frame, stage)
  const items = frame.input
  if (!Array.isArray(items)) throw new HaloError('EXPRESSION_ERROR', `each needs a list, and ${items === null ? 'null' : typeof items === 'object' ? 'an object' : `a ${typeof items}`} flows in.`, { path, span })
  const count = async (name: string, otherwise: number): Promise<number> => {
    const arg = stage.args.find((each) => each.name === name)
    if (arg === undefined) return otherwise
    const value = await valueOf(frame, arg.value, path)
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) throw new HaloError('VALIDATION', `${name}: of each is a whole number from 1 up.`, { path, span })
    return value
  }
  const limit = await count('limit', DEFAULT_LIMIT)
  const max = await count('max', Infinity)
  if (items.length > max) throw new HaloError('EXPRESSION_ERROR', `${items.length} items flow into each, and max: allows ${max}.`, { path, span })
  return together(frame, items.length, limit, async (index, scope) => {
    const here = `${path}[${index}]`
    const item: unknown = items[index]
    // Names bound inside end with the item.
    const inner: Frame = { ...frame, scope, state: frame.state.fork(), input: item, inputNames: ['item'], each: { item, index } }
    try {
      return await runChain(inner, stage.body, bodyPlace(here, stage.body))
    } catch (error) {
      throw error instanceof HaloError ? located(atItem(error, index), here, span) : error
    }
  })
}

/** The failure of an item fails the stage, and says which item it was. */
function atItem(error: HaloError, index: number): HaloError {
  if (error.code === 'DECLINED') return error
  return new HaloError(error.code, `Item ${index}: ${error.message}`, error)
}
