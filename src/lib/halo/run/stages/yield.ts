import { HaloError } from '../../errors.ts'
import type { YieldStage } from '../../syntax/ast.ts'
import { toText } from '../template.ts'
import { spanIn, valueOf, type Frame } from '../frame.ts'
import type { Place } from '../interpreter.ts'
import { declinesYield, readApproval, yieldedValue } from '../questions.ts'

/** Waits for a person: no ends the run, yes lets the value through, another answer is the value that flows on. */
export async function runYield(frame: Frame, stage: YieldStage, { path }: Place): Promise<unknown> {
  const first = stage.args.find((arg) => arg.name === undefined || arg.name === 'message')
  const message = first === undefined ? 'Go on?' : toText(await valueOf(frame, first.value, path))
  const span = spanIn(frame, stage)
  const answer = await frame.run.questions.put({
    scope: frame.scope,
    kind: 'yield',
    path,
    target: 'yield',
    waitingFor: 'yield',
    span,
    card: { channel: 'yield', message, named: { value: frame.input } },
  })
  if (declinesYield(answer)) {
    const { reason } = readApproval(answer)
    throw new HaloError('DECLINED', `A person declined to go on${reason === undefined ? '' : `: ${reason}`}`, { path, span })
  }
  // `as` names the whole answer; what flows on is the value in it.
  if (stage.as !== undefined) frame.state.set(stage.as.name, answer)
  return yieldedValue(answer, frame.input)
}
