/** A tool and a context for tests of middleware and providers. */
import { Type } from 'typebox'
import type { Tool } from '../../src/lib/halo/tools/define.ts'
import { createSandbox, type SandboxParts } from '../../src/lib/halo/sandbox/create.ts'
import { MemoryFileSystem } from '../../src/lib/halo/sandbox/memory-files.ts'
import type { Sandbox, SandboxHandle } from '../../src/lib/halo/sandbox/types.ts'
import type { ToolContext } from '../../src/lib/halo/tools/types.ts'

export function testTool(parts: Partial<Tool>): Tool {
  return { name: 'probe', description: 'A tool for tests.', parameters: Type.Object({}), effect: 'read', execute: () => undefined, ...parts }
}

export function toolContext(parts: Partial<ToolContext> = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    runId: 'run-1',
    callId: 'call-1',
    path: '1',
    fetch: () => Promise.reject(new Error('no network in this test')),
    env: {},
    get sandbox(): SandboxHandle {
      throw new Error('no files in this test')
    },
    log: () => {},
    progress: () => {},
    requestHumanInput: () => Promise.reject(new Error('nobody to ask in this test')),
    interrupt: () => Promise.reject(new Error('nobody to ask in this test')),
    ...parts,
  }
}

/** A sandbox of files alone: no command can run in it. */
export function filesSandbox(files: Record<string, string | Uint8Array>): Sandbox {
  const parts = (held: MemoryFileSystem): SandboxParts => ({
    files: held,
    base: '/',
    executor: () => {
      throw new Error('no commands in this test')
    },
    copy: () => parts(held.copy()),
  })
  return createSandbox(parts(new MemoryFileSystem({ files })))
}
