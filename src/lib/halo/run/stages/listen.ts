import { HaloError } from '../../errors.ts'
import type { ListenStage } from '../../syntax/ast.ts'
import { toText } from '../template.ts'
import { spanIn, valueOf, type Frame } from '../frame.ts'
import type { Place } from '../interpreter.ts'

/** Waits for a named event; its payload flows on. */
export async function runListen(frame: Frame, stage: ListenStage, { path }: Place): Promise<unknown> {
  const span = spanIn(frame, stage)
  const first = stage.args.find((arg) => arg.name === undefined || arg.name === 'event')
  const event = first === undefined ? '' : toText(await valueOf(frame, first.value, path))
  if (event === '') throw new HaloError('VALIDATION', 'listen() needs the name of the event it waits for.', { path, span })
  const timeout = stage.args.find((arg) => arg.name === 'timeout')?.value
  const timeoutMs = timeout === undefined ? undefined : await valueOf(frame, timeout, path)
  if (timeoutMs !== undefined && (typeof timeoutMs !== 'number' || timeoutMs < 0)) throw new HaloError('VALIDATION', 'timeout: of listen() is a duration such as 30s or 1h.', { path, span })
  return frame.run.questions.put({
    scope: frame.scope,
    kind: 'listen',
    path,
    target: event,
    waitingFor: event,
    span,
    timeoutMs,
    card: { channel: 'listen', message: `Waiting for the event ${event}`, named: { event } },
  })
}
