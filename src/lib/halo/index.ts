/** Everything the library `halo` offers, written out. */
export { HaloError, type Diagnostic, type ErrorCode, type Span } from './errors.ts'
export { VERSION } from './version.ts'

export { format, parseCondition } from './syntax/index.ts'
export type * from './syntax/ast.ts'
export { analyse, check, link, nearest, type AnalyseOptions, type CheckOptions, type Program, type Resolve } from './check/index.ts'
export { parse, type ParseOptions } from './parse.ts'

export { HaloRuntime } from './run/runtime.ts'
export { useTool, type ToolUse } from './run/mocks.ts'
export { memoryJournal } from './run/journal.ts'
export type { HaloStream } from './run/stream.ts'
export type * from './run/types.ts'

export { loadPrices, priceOf, costOf } from './models/prices.ts'
export { credentialsFromEnv } from './models/credentials.ts'
export { capabilities, registerModelAdapter, setModelCredentials } from './models/registry.ts'
export type * from './models/types.ts'

export { defineTool, registerTools, toolsProvider, type Tool, type ToolDefinition } from './tools/define.ts'
export { classifyHttpError, httpError, retryAfterMs } from './tools/failure.ts'
export { listProviders, registerDefinition, registerToolProvider } from './tools/registry.ts'
export { compose, type Middleware } from './tools/middleware/compose.ts'
export { withIdempotency } from './tools/middleware/idempotency.ts'
export { withLogging } from './tools/middleware/logging.ts'
export { withRetry } from './tools/middleware/retry.ts'
export { withResultSchema } from './tools/middleware/result-schema.ts'
export { withTimeout } from './tools/middleware/time.ts'
export { TransientError } from './tools/types.ts'
export type * from './tools/types.ts'

export { memorySandbox, type MemorySandboxOptions } from './sandbox/memory.ts'
export type * from './sandbox/types.ts'

export { plan, planText } from './plan/index.ts'
export type * from './plan/index.ts'

export { mockMode, runMocked, runTest, runTests, scenarioOf } from './testing/index.ts'
export type * from './testing/index.ts'

export { createApprovalGate, type ApprovalGate, type ApprovalPolicy, type GateAnswer, type GateCall, type GateVerdict, type LoopCall, type PendingCall, type Responded } from './session/gate.ts'

export { REGEX_WORKER_SOURCE, regexWorkerRunner } from './policy/index.ts'
export type { CallFacts, Decision, RegexRunner } from './policy/types.ts'
export { createSession } from './session/session.ts'
export { modelContextTools, type ModelContext, type PageTool, type PageTools } from './session/page.ts'
export type * from './session/types.ts'
