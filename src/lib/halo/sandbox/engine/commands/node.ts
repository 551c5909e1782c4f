import type { FileSystem } from '../../filesystem.ts'
import { basename, child, normalise } from '../../paths.ts'
import { bytesOf, joinBytes, textOf } from '../encoding.ts'
import { NODE_VERSION, runProgram, type Ended, type Program } from '../js/process.ts'
import { anyFailed, spec, tap, type Item } from '../js/tap.ts'
import { bytesResult, exported, fails, stdinText, type CommandResult, type CommandWorld, type Run } from './program.ts'

interface NodeOptions {
  eval?: string
  print: boolean
  check: boolean
  test: boolean
  testOptions: { names: string[]; only: boolean }
  reporter?: string
  rest: string[]
}

const HELP = `Usage: node [options] [ script.js ] [arguments]

  -e, --eval=…       evaluate script
  -p, --print […]    evaluate script and print result
  -c, --check        syntax check script without executing
  --test             run the tests of the folder or of the named files
  -v, --version      print the version

JavaScript and TypeScript run on an embedded engine; there are no network servers and no child processes.
`

/** `node`, and `tsx`, which differs in how freely it resolves. */
export function node(name: 'node' | 'tsx'): Run {
  return async (args, world, context) => {
    if (args[0] === '-v' || args[0] === '--version') return { stdout: `${NODE_VERSION}\n`, stderr: '', exitCode: 0 }
    if (args[0] === '-h' || args[0] === '--help') return { stdout: HELP, stderr: '', exitCode: 0 }
    const parsed = parse(args)
    if (typeof parsed === 'string') return fails(name, parsed, 9)
    const { cwd } = context
    const base: Omit<Program, 'entries' | 'argv'> = { flavour: name === 'tsx' ? 'bun' : 'node', cwd, env: exported(context), stdin: stdinText(context) }
    if (parsed.test) return testFiles(parsed, base, world)
    if (parsed.eval !== undefined) return finished(await run({ ...base, argv: ['/usr/local/bin/node', ...parsed.rest], entries: [{ path: child(cwd, '[eval]'), code: parsed.eval, print: parsed.print }] }, world))
    const [script, ...scriptArgs] = parsed.rest
    if (script === undefined || script === '-') {
      if (base.stdin?.trim() === '' && script === undefined) return fails(name, 'an interactive session is not here: name a file, or use -e.', 1)
      return finished(await run({ ...base, stdin: '', argv: ['/usr/local/bin/node', '-', ...scriptArgs], entries: [{ path: child(cwd, '[stdin]'), code: base.stdin }] }, world))
    }
    const path = findScript(world.files, normalise(script, cwd))
    if (path === undefined) return { stdout: '', stderr: notFound(normalise(script, cwd)), exitCode: 1 }
    if (parsed.check) return { stdout: '', stderr: '', exitCode: 0 }
    return finished(await run({ ...base, argv: ['/usr/local/bin/node', path, ...scriptArgs], entries: [{ path }] }, world))
  }
}

function notFound(path: string): string {
  return `node:internal/modules/cjs/loader\n  throw err;\n  ^\n\nError: Cannot find module '${path}'\n\n{\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js ${NODE_VERSION}\n`
}

function parse(args: readonly string[]): NodeOptions | string {
  const options: NodeOptions = { print: false, check: false, test: false, testOptions: { names: [], only: false }, rest: [] }
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ''
    const [flag = '', inline] = arg.startsWith('--') && arg.includes('=') ? [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)] : [arg]
    const value = () => inline ?? args[++i]
    if (arg === '--') {
      options.rest.push(...args.slice(i + 1))
      break
    } else if (!arg.startsWith('-') || arg === '-') {
      options.rest.push(...args.slice(i).filter((a, k) => !(options.test && k > 0 && a === '--')))
      break
    } else if (['-e', '--eval', '-p', '--print', '-pe'].includes(flag)) {
      options.eval = value()
      options.print = options.print || flag.startsWith('-p') || flag === '--print'
      if (options.eval === undefined) return `${flag} requires an argument`
    } else if (flag === '-c' || flag === '--check') options.check = true
    else if (flag === '--test') options.test = true
    else if (flag === '--test-only') options.testOptions.only = true
    else if (flag === '--test-name-pattern') options.testOptions.names.push(value() ?? '')
    else if (flag === '--test-reporter') options.reporter = value()
    else if (['--test-concurrency', '--test-timeout', '--test-reporter-destination', '--stack-trace-limit', '--conditions', '-C', '--input-type', '--env-file', '--import', '--loader', '--require', '-r'].includes(flag)) {
      const given = value()
      // The engine takes TypeScript as it is; a loader for it has nothing to add.
      if (['--import', '--loader', '--require', '-r'].includes(flag) && !/^(?:tsx|ts-node)(?:\/|$)/.test(given ?? '')) return `${flag} ${given ?? ''} is not here.`
    } else if (/^--(?:experimental-|no-|enable-|trace-|unhandled-rejections|max-|harmony|expose-gc|preserve-)/.test(flag)) continue
    else if (flag === '--watch') return '--watch is not here: commands run to their end.'
    else return `bad option: ${arg}`
  }
  return options
}

export function run(program: Program, world: CommandWorld): Promise<Ended> {
  return runProgram(program, world).then((ended) => {
    if (ended.limit) world.ended(ended.limit)
    return ended
  })
}

export function finished(ended: Ended): CommandResult {
  const result = bytesResult(ended.stdout, ended.stderr, ended.exitCode)
  if (!ended.tests) return result
  // A test file run by itself prints its results as they would be in `node --test`.
  const report = tap(ended.tests.map((test) => ({ test })), ended.tests.reduce((sum, test) => sum + test.ms, 0))
  return bytesResult(joinBytes([ended.stdout, bytesOf(report)]), ended.stderr, ended.exitCode)
}

function findScript(files: FileSystem, path: string): string | undefined {
  const candidates = [path, ...['.js', '.mjs', '.cjs', '.ts', '.json'].map((extension) => path + extension), ...['index.js', 'index.mjs', 'index.ts'].map((name) => child(path, name))]
  return candidates.map((candidate) => files.realpath(candidate)).find((candidate) => files.stat(candidate)?.type === 'file')
}

const TEST_FILE = /(?:^test|[-._]test|^test-.*)\.[cm]?[jt]s$/
const CODE_FILE = /\.[cm]?[jt]s$/

/** What Node 20 runs without names: files named as tests, and all of folders named `test`. */
function* discover(files: FileSystem, folder: string, inTest = false): Generator<string> {
  for (const { name, type } of files.list(folder)) {
    const path = child(folder, name)
    if (type === 'directory' && name !== 'node_modules' && !name.startsWith('.')) yield* discover(files, path, inTest || name === 'test')
    else if (type === 'file' && (TEST_FILE.test(name) || (inTest && CODE_FILE.test(name))) && !name.endsWith('.d.ts')) yield path
  }
}

async function testFiles(options: NodeOptions, base: Omit<Program, 'entries' | 'argv'>, world: CommandWorld): Promise<CommandResult> {
  const { files } = world
  const paths: string[] = []
  for (const name of options.rest) {
    const path = normalise(name, base.cwd)
    const stat = files.stat(path)
    if (!stat) return { stdout: '', stderr: `Could not find '${path}'\n`, exitCode: 1 }
    if (stat.type === 'directory') paths.push(...discover(files, path, basename(path) === 'test'))
    else paths.push(path)
  }
  if (options.rest.length === 0) paths.push(...discover(files, base.cwd, basename(base.cwd) === 'test'))
  const started = performance.now()
  const items: Item[] = []
  for (const path of paths) {
    const begun = performance.now()
    const ended = await run({ ...base, argv: ['/usr/local/bin/node', path], entries: [{ path }], testOptions: options.testOptions }, world)
    const said = (textOf(ended.stdout) + textOf(ended.stderr)).replace(/\n$/, '')
    if (said !== '') items.push({ comment: said })
    for (const test of ended.tests ?? []) items.push({ test })
    const failedElsewhere = ended.exitCode !== 0 && !anyFailed(ended.tests ?? [])
    // A file without tests counts as one, by its exit code.
    if (failedElsewhere || !ended.tests?.length) {
      const error = failedElsewhere ? { failureType: 'testCodeFailure', exitCode: ended.exitCode, message: 'test failed', code: 'ERR_TEST_FAILURE', stack: [] } : undefined
      items.push({ test: { name: path, type: 'test', ok: !failedElsewhere, ms: performance.now() - begun, location: { file: path, line: 1, column: 1 }, children: [], diagnostics: [], error } })
    }
    if (ended.limit) break
  }
  const failed = anyFailed(items.flatMap((item) => ('test' in item ? [item.test] : [])))
  const report = options.reporter === 'spec' ? spec : tap
  if (options.reporter !== undefined && !['spec', 'tap'].includes(options.reporter)) return fails('node', `the reporter "${options.reporter}" is not here: spec or tap.`, 9)
  return { stdout: report(items, performance.now() - started), stderr: '', exitCode: failed ? 1 : 0 }
}
