import { HaloError } from '../../errors.ts'
import { parseCondition } from '../../syntax/index.ts'
import type { Expression, LoopStage } from '../../syntax/ast.ts'
import { truthy } from '../expression.ts'
import { spanIn, valueOf, type Frame } from '../frame.ts'
import type { Step } from '../interpreter.ts'

const DEFAULT_MAX = 3

/** What a loop tells the agent it goes back to: a new conversation starts, and this is in its prompt. */
export interface Feedback {
  check: string
  answer: unknown
}

/** The loops of one chain: how often each went round, and what flowed into the stages they go back to. */
export class Loops {
  readonly #steps: readonly Step[]
  readonly #looping: boolean
  readonly #rounds = new Map<number, number>()
  readonly #entered = new Map<number, { input: unknown; inputNames: readonly string[] }>()
  readonly #outputs = new Map<number, unknown>()
  readonly #feedback = new Map<number, Feedback>()

  constructor(steps: readonly Step[]) {
    this.#steps = steps
    this.#looping = steps.some((step) => step.kind === 'Loop')
  }

  enter(i: number, input: unknown, inputNames: readonly string[]): void {
    if (this.#looping && !this.#entered.has(i)) this.#entered.set(i, { input, inputNames })
  }

  leave(i: number, output: unknown): void {
    if (!this.#looping) return
    this.#outputs.set(i, output)
    this.#feedback.delete(i)
  }

  feedbackFor(i: number): Feedback | undefined {
    return this.#feedback.get(i)
  }

  /** Where to go on, and with what; undefined: the value flows on. */
  async decide(frame: Frame, i: number, loop: LoopStage, path: string): Promise<{ to: number; input: unknown; inputNames: readonly string[] } | undefined> {
    const { to, condition, text, max } = await this.#read(frame, i, loop, path)
    if (!truthy(await valueOf(frame, condition, path, 'condition'))) {
      this.#rounds.delete(i)
      return undefined
    }
    const rounds = this.#rounds.get(i) ?? 1
    if (rounds >= max) {
      this.#rounds.delete(i)
      frame.run.emit({ type: 'log', level: 'warning', path, span: spanIn(frame, loop), message: `The loop gave up after ${max} ${max === 1 ? 'round' : 'rounds'}: ${text} still holds.` })
      return undefined
    }
    this.#rounds.set(i, rounds + 1)
    const entered = this.#entered.get(to) ?? { input: frame.input, inputNames: frame.inputNames }
    this.#feedback.set(to, { check: text, answer: this.#outputs.get(to) })
    // Loops inside count anew, and what flows into their agents now is new as well.
    for (let inner = to; inner < i; inner++) {
      this.#rounds.delete(inner)
      if (inner > to) this.#entered.delete(inner)
    }
    return { to, ...entered }
  }

  async #read(frame: Frame, i: number, loop: LoopStage, path: string): Promise<{ to: number; condition: Expression; text: string; max: number }> {
    const fault = (message: string) => new HaloError('VALIDATION', message, { path, span: spanIn(frame, loop) })
    const positional = loop.args.filter((arg) => arg.name === undefined)
    const agent = positional[0]?.value
    const name = agent?.kind === 'Variable' ? agent.name : undefined
    const to = this.#steps.findLastIndex((step, at) => at < i && step.kind === 'Call' && step.callee.name === name)
    if (name === undefined || to < 0) throw fault(`loop() goes back to an agent's earlier stage of the same list; there is none of ${name ?? 'the agent it has to name'}.`)
    const given = loop.args.find((arg) => arg.name === 'while')?.value ?? positional[1]?.value
    if (given === undefined) throw fault('loop() needs a condition: loop(Agent, "condition", max: 3).')
    const limit = loop.args.find((arg) => arg.name === 'max')?.value ?? positional[2]?.value
    const max = limit === undefined ? DEFAULT_MAX : await valueOf(frame, limit, path)
    if (typeof max !== 'number' || !Number.isInteger(max) || max < 1) throw fault('max: of a loop is a whole number from 1 up.')
    return { to, max, ...conditionOf(frame, given, path) }
  }
}

/** What strings with a condition in them hold; each is read once, however often it is asked. */
const read = new WeakMap<Expression, { condition: Expression; text: string }>()

/** A condition is an expression, or a string that holds one. */
export function conditionOf(frame: Frame, given: Expression, path: string): { condition: Expression; text: string } {
  if (given.kind !== 'String') {
    const source = frame.run.sourceOf(frame.pipeline.file)
    return { condition: given, text: source.slice(given.from, given.to) }
  }
  const known = read.get(given)
  if (known !== undefined) return known
  const { expression, diagnostics } = parseCondition(given.value, given.from + 1)
  if (expression === undefined || diagnostics.length > 0) {
    throw new HaloError('PARSE_ERROR', `The condition "${given.value}" can't be read: ${diagnostics[0]?.message ?? 'it is empty'}`, { path, span: spanIn(frame, given), diagnostics })
  }
  const found = { condition: expression, text: given.value }
  read.set(given, found)
  return found
}
