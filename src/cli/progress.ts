/** A run as it goes, for whoever watches stderr: what was called, decided, logged. */
import type { HaloEvent } from '../lib/halo/run/types.ts'
import { say } from './print.ts'

const SHOWN = 160

/** @param quiet says only what the program itself logs */
export function progress(quiet: boolean): (event: HaloEvent) => void {
  return (event) => {
    if (event.replayed) return
    if (event.type === 'log') say(`${event.level === 'warning' ? 'warning: ' : ''}${event.message}`)
    else if (!quiet) sayLine(event)
  }
}

function sayLine(event: HaloEvent): void {
  switch (event.type) {
    case 'llm_start':
      if (event.step === 1) say(`${event.agent}.${event.task} [${event.model}]`)
      return
    case 'agent_tool':
      say(`  ${event.decision} ${event.target}(${short(event.args)})${event.detail === undefined ? '' : `: ${short(event.detail)}`}`)
      return
    case 'tool':
      // An agent's calls are told by the event before.
      if (event.agent === undefined) say(`${event.target}(${short(event.args)})${event.error === undefined ? '' : `: ${event.error}`}`)
      return
    case 'shadow':
      say(`  shadow ${event.model}: ${event.error ?? (event.same ? 'the same answer' : 'another answer')}`)
      return
    case 'run_start':
    case 'run_end':
    case 'stage_start':
    case 'stage_end':
    case 'llm_delta':
    case 'llm':
    case 'tool_progress':
    case 'approval':
    case 'violation':
    case 'yield':
    case 'listen':
    case 'human_input':
    case 'context':
    case 'log':
      return
  }
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
