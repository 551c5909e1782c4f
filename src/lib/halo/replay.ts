/** `halo/replay`: recording runs, and running them again with the answers they got. */
export { Recorder, type Ending } from './recordings/recorder.ts'
export { readRecording, recordingOf, type Recording, type RecordingsAtHand } from './recordings/recording.ts'
export { replayMocks, type ReplayMockOptions } from './recordings/replay-mocks.ts'
export { toLines, readLines, FORMAT, type ReadLines } from './recordings/lines.ts'
export { replay, type ReplayConfig, type ReplayOutcome } from './run/replay.ts'
export type { Difference, ReplayOptions } from './run/replay-source.ts'
export { replayPolicies, type CallUnderPolicies, type LimitUnderPolicies, type PolicyReplay, type TextUnderPolicies } from './recordings/under-policies.ts'
export { contentsOf, filesAt, forkFiles, forkRecord, keepRecord, type Files, type ForkOptions } from './recordings/fork.ts'
