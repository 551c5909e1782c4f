import type { Program } from '../check/program.ts'
import type { Chain, ListenStage } from '../syntax/ast.ts'

/** Does any pipeline of the program listen for this event, or for one whose name is only known as it runs? */
export function mayListenFor(program: Program, event: string): boolean {
  return [...program.pipelines.values()].some((pipeline) => listens(pipeline.body, event))
}

function listens(chain: Chain, event: string): boolean {
  return chain.stages.some((stage) => {
    switch (stage.kind) {
      case 'Listen':
        return nameOf(stage) === undefined || nameOf(stage) === event
      case 'Parallel':
        return stage.branches.some((branch) => listens(branch, event))
      case 'Branch':
        return stage.arms.some((arm) => listens(arm.body, event))
      case 'Each':
      case 'Block':
        return listens(stage.body, event)
      default:
        return false
    }
  })
}

function nameOf(stage: ListenStage): string | undefined {
  const first = stage.args.find((arg) => arg.name === undefined || arg.name === 'event')?.value
  return first?.kind === 'String' ? first.value : undefined
}
