/** A test run for a person: its arguments, files and agents' answers; the tools are real and the person is asked. */
import { link } from '../check/program.ts'
import type { JournalRecord, Mock } from '../run/types.ts'
import type { HaloFile, TestDeclaration } from '../syntax/ast.ts'
import { readBlock } from './block.ts'
import { answersInTurn } from './sequence.ts'

export interface Scenario {
  /** The test's name. */
  name: string
  pipeline: string
  args: Record<string, unknown>
  /** Contents by path, relative to the sandbox's base, to be written before the run. */
  files: Record<string, string>
  /** For `mockAll`: agents alone, each answering request by request. */
  mocks: Record<string, Mock>
}

/**
 * The scenario a test makes. `record`: the journal of the run, when it goes on after a pause or a reload: answers that are
 * in it are not given again.
 * @throws HaloError VALIDATION or EXPRESSION_ERROR, when a line of the test can't be evaluated
 */
export function scenarioOf(test: TestDeclaration, file: HaloFile, record?: JournalRecord): Scenario {
  const { args, files, mocks } = readBlock(test, link(file))
  const agents: Record<string, Mock> = {}
  for (const { target, agent, answers, span } of mocks) {
    if (agent) agents[target] = answersInTurn(target, answers, { agent, span, first: requestsAnswered(record, target) })
  }
  return { name: test.name, pipeline: test.pipeline.name, args, files, mocks: agents }
}

function requestsAnswered(record: JournalRecord | undefined, target: string): number {
  return record?.entries.filter((entry) => entry.kind === 'agent' && entry.state === undefined && (entry.target === target || entry.target.startsWith(`${target}.`))).length ?? 0
}
