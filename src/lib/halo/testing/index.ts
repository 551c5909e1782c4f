export { runTest, runTests, runSample, runMocked } from './run-test.ts'
export { scenarioOf, type Scenario } from './scenario.ts'
export { mockMode, testMode, noNetwork, sampleArguments } from './mock-mode.ts'
export type { ExpectOutcome, SeenValue, TestFailure, TestOptions, TestOutcome } from './types.ts'
