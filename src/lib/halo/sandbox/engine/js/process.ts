import { errors, type QuickJSContext, type QuickJSHandle } from 'quickjs-emscripten-core'
import type { FileSystem } from '../../filesystem.ts'
import { dirname } from '../../paths.ts'
import { joinBytes } from '../encoding.ts'
import { operations, thrown, type HostState } from './host.ts'
import { freshQuickJs, type WasmSource } from './quickjs.ts'
import { resolve, type Flavour } from './resolve.ts'
import { builtins, core } from './shims/index.ts'
import { formatOf, javascript, text } from './source.ts'
import type { TestNode } from './tap.ts'

export interface Entry {
  /** A file to run, or where `code` pretends to stand. */
  path: string
  code?: string
  /** Print the value of the code. */
  print?: boolean
}

/** A program to run, as its command line says. */
export interface Program {
  flavour: Flavour
  entries: Entry[]
  argv: string[]
  execArgv?: string[]
  cwd: string
  env: Record<string, string>
  stdin?: string
  testOptions?: Record<string, unknown>
}

const { QuickJSUnwrapError } = errors

/** What a program runs on, and what ends it. */
export interface ProgramWorld {
  files: FileSystem
  wasm: WasmSource
  memoryBytes: number
  maxOutputBytes: number
  /** Milliseconds left. */
  remaining(): number
  cancelled(): boolean
  sleep(ms: number): Promise<void>
  /** Already held to the network rules. */
  fetch(url: string, init: { method: string; headers: [string, string][]; body: string | null }): Promise<{ status: number; statusText: string; headers: [string, string][]; url: string; body: string }>
}

export interface Ended {
  exitCode: number
  stdout: Uint8Array
  stderr: Uint8Array
  limit?: 'time' | 'memory' | 'output' | 'cancelled'
  tests?: TestNode[]
  /** node:test's `t.diagnostic` of no test. */
  counts?: BunCounts
}
export interface BunCounts {
  pass: number
  fail: number
  skip: number
  todo: number
  filtered?: number
  expects: number
}

export const NODE_VERSION = 'v20.19.0'
export const BUN_VERSION = '1.2.0'
const STACK_BYTES = 128 * 1024
const JOBS_AT_ONCE = 500
const FLOOD_BYTES = 256 * 1024
/** The longest single wait, so that a stop is seen. */
const WAIT_MS = 50

/** Runs a program to its end in an engine of its own. */
export async function runProgram(program: Program, world: ProgramWorld): Promise<Ended> {
  const quickjs = await freshQuickJs(world.wasm, world.memoryBytes)
  const runtime = quickjs.newRuntime()
  const out: Record<1 | 2, Uint8Array[]> = { 1: [], 2: [] }
  let outBytes = 0
  let exited: number | undefined
  let limit: Ended['limit']
  let tests: TestNode[] | undefined
  let counts: BunCounts | undefined
  let inFlight = 0
  const answers: (() => void)[] = []
  const began = performance.now()

  function over(): boolean {
    if (exited !== undefined || limit !== undefined) return true
    if (world.cancelled()) limit = 'cancelled'
    else if (world.remaining() <= 0) limit = 'time'
    return limit !== undefined
  }
  runtime.setInterruptHandler(over)
  runtime.setMaxStackSize(STACK_BYTES)
  const context = runtime.newContext()

  const state: HostState = {
    files: world.files,
    flavour: program.flavour,
    cwd: program.cwd,
    stdin: program.stdin ?? '',
    now: () => performance.now() - began,
    out(stream, content) {
      outBytes += content.length
      if (outBytes > world.maxOutputBytes) limit ??= 'output'
      else out[stream].push(content)
    },
  }
  const ops = operations(state)
  ops.exit = ([code]) => void (exited ??= Number(code) & 255)
  ops.memory = () => void (limit ??= 'memory')
  ops.tests = ([results]) => void (tests = results as TestNode[])
  ops.counts = ([results]) => void (counts = results as BunCounts)
  ops.fetch = ([id, url, init]) => {
    inFlight++
    const answer = world.fetch(String(url), init as Parameters<ProgramWorld['fetch']>[1])
    const settle = (result: unknown) => answers.push(() => callInternal('settle', context.newNumber(Number(id)), newText(JSON.stringify(result))))
    answer.then(settle, (error: unknown) => settle({ error: error instanceof Error ? error.message : String(error) })).finally(() => inFlight--)
  }

  /** These give the guest something that is no data: a function compiled from source, or a script's value. */
  const compiling: Record<string, (args: readonly unknown[]) => QuickJSHandle> = {
    wrapper: ([name]) => evaluate(`(function (module, exports, require, internal) {${builtins[String(name)]}\n})`, `node:${String(name)}`),
    commonjs: ([file]) => {
      const path = String(file)
      return evaluate(`(function (exports, require, module, __filename, __dirname) {${javascript(path, text(world.files, path), 'commonjs')}\n})`, path)
    },
    script: ([code, path]) => evaluate(javascript(String(path), String(code), 'commonjs'), String(path)),
  }

  function evaluate(code: string, filename: string): QuickJSHandle {
    return context.unwrapResult(context.evalCode(code, filename, { type: 'global' }))
  }
  function newText(value: string): QuickJSHandle {
    return context.newString(value)
  }

  const host = context.newFunction('__host', (request, buffer) => {
    const [op, ...args] = JSON.parse(context.getString(request)) as [string, ...unknown[]]
    const compile = compiling[op]
    if (compile) {
      try {
        return compile(args)
      } catch (error) {
        throw asGuestError(context, error)
      }
    }
    let bytes: Uint8Array | undefined
    if (buffer && context.typeof(buffer) === 'object') {
      const view = context.getArrayBuffer(buffer)
      bytes = view.value.slice()
      view.dispose()
    }
    try {
      const value = ops[op]?.(args, bytes)
      if (value instanceof Uint8Array) return context.newArrayBuffer(value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength) as ArrayBuffer)
      return newText(JSON.stringify({ value }))
    } catch (error) {
      return newText(JSON.stringify({ thrown: thrown(error) }))
    }
  })
  context.setProp(context.global, '__host', host)
  host.dispose()

  runtime.setModuleLoader(
    (name) => {
      try {
        return moduleSource(name)
      } catch (error) {
        return { error: asGuestError(context, error) }
      }
    },
    (from, specifier) => {
      // A normaliser may not fail: what can't be resolved is carried to the loader, which may.
      try {
        const found = resolve(world.files, specifier, from.startsWith('/') ? from : `${program.cwd}/[eval]`, 'import', program.flavour)
        return 'builtin' in found ? `node:${found.builtin}` : found.path
      } catch (error) {
        return `missing:${error instanceof Error ? error.message : String(error)}`
      }
    },
  )

  function moduleSource(name: string): string {
    if (name.startsWith('missing:')) throw new Error(name.slice(8))
    if (name.startsWith('node:')) {
      const builtin = name.slice(5)
      return synthetic(`builtin(${JSON.stringify(builtin)})`, guestKeys('builtinNames', builtin))
    }
    const format = formatOf(world.files, name)
    if (format === 'json') return `export default JSON.parse(${JSON.stringify(text(world.files, name))})`
    if (format === 'commonjs') return synthetic(`exports(${JSON.stringify(name)})`, guestKeys('names', name))
    const code = javascript(name, text(world.files, name), 'module')
    const meta = code.includes('import.meta')
      ? `Object.assign(import.meta,{url:${JSON.stringify(`file://${encodeURI(name)}`)},filename:${JSON.stringify(name)},dirname:${JSON.stringify(dirname(name))},path:${JSON.stringify(name)},dir:${JSON.stringify(dirname(name))},main:${program.entries.some((e) => e.path === name)},resolve:(s)=>"file://"+globalThis.__internal.requireFrom(${JSON.stringify(name)}).resolve(s)});`
      : ''
    const require = program.flavour === 'bun' && /\brequire\s*[.(]/.test(code) ? `const require=globalThis.__internal.requireFrom(${JSON.stringify(name)});` : ''
    return meta + require + code
  }

  function guestKeys(method: string, name: string): string[] {
    const keys = callInternal(method, newText(name))
    return JSON.parse(keys ?? '[]') as string[]
  }

  /** Calls `__internal[method]`; a throw of the guest is thrown on. */
  function callInternal(method: string, ...args: QuickJSHandle[]): string | undefined {
    const internal = context.getProp(context.global, '__internal')
    const fn = context.getProp(internal, method)
    const result = context.callFunction(fn, internal, ...args)
    fn.dispose()
    internal.dispose()
    const value = context.unwrapResult(result)
    const kind = context.typeof(value)
    const given = kind === 'string' ? context.getString(value) : kind === 'number' ? String(context.getNumber(value)) : undefined
    value.dispose()
    return given
  }

  /** Whatever the guest throws at the top is the end of the program, in Node's words. */
  function guarded(act: () => string | undefined): string | undefined {
    try {
      return act()
    } catch (error) {
      if (!over()) fail(error)
      return undefined
    }
  }
  function fail(error: unknown): void {
    try {
      callInternal('fail', asGuestError(context, error))
    } catch (second) {
      if (over()) return
      // Not even the report could be made: most likely there is no memory left for it.
      limit ??= isOutOfMemory(error) || isOutOfMemory(second) ? 'memory' : undefined
      if (limit === undefined) state.out(2, new TextEncoder().encode(`${error instanceof Error ? error.message : String(error)}\n`))
      exited ??= 1
    }
  }

  const entries = program.entries.map((entry) => ({ ...entry, esm: entry.code === undefined && formatOf(world.files, entry.path) === 'module' }))
  const boot = {
    flavour: program.flavour, version: NODE_VERSION, bunVersion: BUN_VERSION, argv: program.argv, execArgv: program.execArgv ?? [], env: program.env, cwd: program.cwd,
    entries, testOptions: program.testOptions ?? {}, script: entries.find((entry) => entry.code !== undefined)?.path,
  }
  guarded(() => {
    const text = newText(JSON.stringify(boot))
    context.setProp(context.global, '__boot', text)
    text.dispose()
    evaluate(core, '<boot>').dispose()
    // From a file in the working folder, so that `import()` in it resolves from there.
    const start = evaluate('(function () { globalThis.__internal.start(function (path) { return import(path) }) })', `${program.cwd === '/' ? '' : program.cwd}/[eval]`)
    const started = context.callFunction(start, context.undefined)
    context.unwrapResult(started).dispose()
    return undefined
  })

  await eventLoop()
  if (limit === undefined && exited === undefined) {
    guarded(() => callInternal('finish'))
    await eventLoop()
    guarded(() => callInternal('exit'))
  }
  // Of a program that wrote without end the start tells as much as all of it, and the shell copies what it is given.
  const whole = (stream: 1 | 2) => (limit === 'output' ? joinBytes(out[stream]).slice(0, FLOOD_BYTES) : joinBytes(out[stream]))
  return { exitCode: exited ?? 1, stdout: whole(1), stderr: whole(2), limit, tests, counts }

  async function eventLoop(): Promise<void> {
    while (!over()) {
      while (answers.length > 0) {
        const settle = answers.shift()
        if (settle) guarded(() => void settle())
      }
      while (runtime.hasPendingJob() && !over()) {
        const done = runtime.executePendingJobs(JOBS_AT_ONCE)
        if (done.error && !over()) fail(context.dump(done.error))
      }
      if (over()) return
      const next = guarded(() => callInternal('tick'))
      if (over()) return
      if (next === undefined || next === '0' || runtime.hasPendingJob()) {
        if (next === undefined) continue
        continue
      }
      const ms = Number(next)
      if (ms < 0 && inFlight === 0 && answers.length === 0) return
      await world.sleep(Math.min(ms < 0 ? WAIT_MS : ms, WAIT_MS, Math.max(1, world.remaining())))
    }
  }
}

/** A module that hands on what a CommonJS or built-in module exports. */
function synthetic(expression: string, keys: readonly string[]): string {
  const names = keys.filter((key) => /^[A-Za-z_$][\w$]*$/.test(key) && key !== 'default' && !RESERVED.has(key))
  return `const m = globalThis.__internal.${expression};\nexport default m;\n${names.map((name) => `const $_${name} = m.${name}; export { $_${name} as ${name} };`).join('\n')}`
}
const RESERVED = new Set(['__proto__'])

/** The host's or guest's error as a value of the guest. */
function asGuestError(context: QuickJSContext, raised: unknown): QuickJSHandle {
  // quickjs-emscripten wraps what the guest threw; the cause is that, as data.
  const error = raised instanceof QuickJSUnwrapError ? raised.cause : raised
  const { name = 'Error', message = String(error), stack, code } = (typeof error === 'object' && error !== null ? error : {}) as { name?: string; message?: string; stack?: string; code?: string }
  if (typeof error !== 'object' || error === null) return context.newString(String(error))
  const handle = context.newError({ name: name === 'ResolveError' ? 'Error' : name, message })
  if (code !== undefined) context.setProp(handle, 'code', context.newString(code))
  if (stack !== undefined && !(error instanceof SyntaxError)) context.setProp(handle, 'stack', context.newString(guestStack(stack)))
  return handle
}

/** Frames of the host say nothing to the program. */
function guestStack(stack: string): string {
  return stack.split('\n').filter((line) => /^\s+at /.test(line) && !/wasm|node_modules|file:\/\/|https?:\/\/|<anonymous>:\d/.test(line)).join('\n')
}

function isOutOfMemory(error: unknown): boolean {
  return /out of memory|memory access out of bounds|null$/i.test(error instanceof Error ? error.message : String(error))
}
