export { memorySandbox, type MemorySandboxOptions } from './memory.ts'
export { FileError, type ExecOptions, type ExecResult, type FileChange, type FileRules, type FileStat, type Sandbox, type SandboxFactory, type SandboxHandle } from './types.ts'
