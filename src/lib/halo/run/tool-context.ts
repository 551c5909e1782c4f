import type { FileChange, Sandbox, SandboxHandle } from '../sandbox/types.ts'
import type { ToolContext } from '../tools/types.ts'
import { fetchOf } from './binding.ts'
import { toPlain } from './plain.ts'
import type { MadeCall } from './perform.ts'
import { maskSecrets, secretStream, type SecretStream } from './secrets.ts'

const NO_ENV: Readonly<Record<string, string>> = Object.freeze({})

/**
 * What one call of a tool has at hand. Each function is made when it is asked for, and bound, so that a tool may take them
 * apart (`{ log, signal }`): most calls use one or two of them, and a step should cost what it uses.
 */
export class CallContext implements ToolContext {
  readonly signal: AbortSignal
  readonly #call: MadeCall
  readonly #box: Sandbox
  readonly #protect: string[]
  readonly #files: FileChange[]
  readonly #printed: { stdout?: SecretStream; stderr?: SecretStream } = {}
  #handle?: SandboxHandle
  #questions = 0
  #asking: Promise<unknown> = Promise.resolve()

  constructor(call: MadeCall, box: Sandbox, protect: string[], signal: AbortSignal, files: FileChange[]) {
    this.signal = signal
    this.#call = call
    this.#box = box
    this.#protect = protect
    this.#files = files
  }

  get runId(): string {
    return this.#call.frame.run.id
  }
  get sessionId(): string | undefined {
    return this.#call.frame.run.world.chat?.sessionId
  }
  get callId(): string {
    return `${this.runId}:${this.path}`
  }
  get path(): string {
    return this.#call.path
  }
  get fetch(): typeof fetch {
    return fetchOf(this.#call.frame.run)
  }
  get env(): Readonly<Record<string, string>> {
    return this.#call.frame.run.world.config.env ?? NO_ENV
  }
  get sandbox(): SandboxHandle {
    const protect = this.#protect
    return (this.#handle ??= this.#box.open(protect.length === 0 ? {} : { protect }, (change) => this.#files.push(change)))
  }
  get now(): NonNullable<ToolContext['now']> {
    return () => this.#call.frame.run.world.clock.now()
  }
  get log(): ToolContext['log'] {
    return (message) => this.#emit({ type: 'log', level: 'info', message: this.#masked(message) })
  }
  get progress(): ToolContext['progress'] {
    return (done, total, note) => this.#emit({ type: 'tool_progress', target: this.#call.target, done, total, note: this.#masked(note) })
  }
  get output(): NonNullable<ToolContext['output']> {
    return (stream, text) => {
      const shown = (this.#printed[stream] ??= secretStream(this.#call.frame.run.world.config.env)).push(text)
      if (shown !== '') this.#printing(stream, shown)
    }
  }
  get partial(): NonNullable<ToolContext['partial']> {
    return (value) => this.#emit({ type: 'tool_progress', target: this.#call.target, partial: this.#masked(value) })
  }
  get requestHumanInput(): ToolContext['requestHumanInput'] {
    return ({ prompt, schema }) => this.#ask(prompt, schema === undefined ? {} : { schema: toPlain(schema) })
  }
  get interrupt(): ToolContext['interrupt'] {
    return (info) => this.#ask(typeof info === 'string' ? info : `${this.#call.target} waits for an answer.`, { value: toPlain(info) })
  }

  /** Nothing more is printed: shows what was held back of it. */
  ended(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = this.#printed[stream]?.end() ?? ''
      if (rest !== '') this.#printing(stream, rest)
    }
  }

  #printing(stream: 'stdout' | 'stderr', output: string): void {
    this.#emit({ type: 'tool_progress', target: this.#call.target, output, stream })
  }

  #masked<T>(value: T): T {
    return maskSecrets(value, this.#call.frame.run.world.config.env) as T
  }

  #emit(event: { type: 'log'; level: 'info'; message: string } | { type: 'tool_progress'; target: string; done?: number; total?: number; note?: string; output?: string; stream?: 'stdout' | 'stderr'; partial?: unknown }): void {
    const { frame, path, span } = this.#call
    frame.run.emit({ ...event, path, span })
  }

  /** One after the other: a call is one strand, and a strand waits for one answer at a time. */
  #ask(message: string, named: Record<string, unknown>): Promise<unknown> {
    const { frame, path, target, span } = this.#call
    const number = ++this.#questions
    const question = this.#asking.then(() =>
      frame.run.questions.put({
        scope: frame.scope,
        kind: 'input',
        path: `${path}/input:${number}`,
        target,
        waitingFor: 'input',
        span,
        card: { channel: 'input', message: this.#masked(message), named: { target, ...this.#masked(named) } },
      }),
    )
    this.#asking = question.catch(() => undefined)
    return question
  }
}
