import { messageOf } from '../../halo/errors.ts'
import type { Workspace } from '../files/workspace.svelte.ts'

export interface Line {
  kind: 'command' | 'stdout' | 'stderr' | 'note'
  text: string
}

/** Keeps at most this much output, the newest. */
const LINES = 2000
/** Marks where the folder stands after a command; no output of a person's has it by accident. */
const MARK = '\u0001halo-cwd\u0001'

/** A shell on a workspace: one command at a time, its folder kept from one to the next. */
export class Terminal {
  readonly #workspace: Workspace
  #lines = $state.raw<Line[]>([])
  #cwd = $state('/')
  #running = $state.raw<AbortController | undefined>()
  #past: string[] = []

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }
  get lines(): Line[] {
    return this.#lines
  }
  get cwd(): string {
    return this.#cwd
  }
  get running(): boolean {
    return this.#running !== undefined
  }
  get past(): readonly string[] {
    return this.#past
  }

  async run(command: string): Promise<void> {
    if (this.#running || command.trim() === '') return
    this.#past = [...this.#past.filter((one) => one !== command), command].slice(-100)
    this.#add('command', `${this.#cwd} $ ${command}`)
    if (command.trim() === 'clear') {
      this.#lines = []
      return
    }
    const running = new AbortController()
    this.#running = running
    let held = ''
    try {
      const sandbox = await this.#workspace.sandbox()
      const result = await sandbox.exec(`${command}\n__halo_code=$?; printf '%s%s' '${MARK}' "$PWD"; exit $__halo_code`, {
        cwd: this.#cwd,
        signal: running.signal,
        timeoutMs: 120_000,
        onOutput: (stream, text) => {
          if (stream === 'stderr') return this.#add('stderr', text)
          held += text
          const mark = held.indexOf('\u0001')
          this.#add('stdout', mark < 0 ? held : held.slice(0, mark))
          held = mark < 0 ? '' : held.slice(mark)
        },
      })
      const at = result.stdout.lastIndexOf(MARK)
      if (at >= 0) this.#cwd = result.stdout.slice(at + MARK.length).trim() || this.#cwd
      if (result.exitCode !== 0) this.#add('note', `exit ${result.exitCode}`)
    } catch (thrown) {
      this.#add('stderr', messageOf(thrown))
    }
    this.#running = undefined
  }
  stop(): void {
    this.#running?.abort()
  }

  #add(kind: Line['kind'], text: string): void {
    if (text === '') return
    this.#lines = [...this.#lines, { kind, text }].slice(-LINES)
  }
}
