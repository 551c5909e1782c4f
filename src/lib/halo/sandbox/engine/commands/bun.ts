import type { FileSystem } from '../../filesystem.ts'
import { child, normalise, relative } from '../../paths.ts'
import { textOf } from '../encoding.ts'
import { BUN_VERSION, type BunCounts, type Program } from '../js/process.ts'
import { finished, run } from './node.ts'
import { runScript } from './npm.ts'
import { exported, fails, stdinText, type CommandResult, type CommandWorld, type Run } from './program.ts'

const TEST_FILE = /(?:\.|_)(?:test|spec)\.[cm]?[jt]sx?$/
const SOURCE = /\.[cm]?[jt]sx?$/

export const bun: Run = async (args, world, context) => {
  const [first, ...rest] = args
  const base: Omit<Program, 'entries' | 'argv'> = { flavour: 'bun', cwd: context.cwd, env: exported(context), stdin: stdinText(context) }
  switch (first) {
    case undefined:
    case '-h':
    case '--help':
      return { stdout: 'Usage: bun <command> [...]\n\n  run FILE|SCRIPT   run a file or a script of package.json\n  test [FILTER]     run tests\n  -e CODE           evaluate\n', stderr: '', exitCode: 0 }
    case '-v':
    case '--version':
      return { stdout: `${BUN_VERSION}\n`, stderr: '', exitCode: 0 }
    case 'test':
      return bunTest(rest, base, world)
    case '-e':
    case '--eval':
    case '-p':
    case '--print':
      return finished(await run({ ...base, argv: ['/usr/local/bin/bun', ...rest.slice(1)], entries: [{ path: child(context.cwd, '[eval]'), code: rest[0] ?? '', print: first.includes('p') }] }, world))
    case 'run': {
      const [target, ...more] = rest.filter((arg, i) => !(i === 0 && arg === '--silent'))
      if (target === undefined) return fails('bun', 'run what? Name a file or a script of package.json.')
      return runTarget(target, more, base, world)
    }
    case 'install': case 'i': case 'add': case 'remove': case 'x': case 'build': case 'create': case 'init': case 'upgrade': case 'link': case 'pm': case 'publish':
      return fails('bun', `"bun ${first}" is not here: this sandbox has no package registry. Packages in node_modules of the workspace can be used.`)
    default:
      return runTarget(first, rest, base, world)
  }
}

function runTarget(target: string, args: string[], base: Omit<Program, 'entries' | 'argv'>, world: CommandWorld): Promise<CommandResult> | CommandResult {
  const path = normalise(target, base.cwd)
  const file = [path, ...['.ts', '.tsx', '.js', '.mjs', '.jsx'].map((e) => path + e)].find((p) => world.files.stat(p)?.type === 'file')
  const scripted = runScript('bun', target, args, world, base)
  if (scripted && !SOURCE.test(target)) return scripted
  if (file === undefined) return scripted ?? fails('bun', `error: Script not found "${target}"`)
  return run({ ...base, argv: ['/usr/local/bin/bun', file, ...args], entries: [{ path: world.files.realpath(file) }] }, world).then(finished)
}

function* discover(files: FileSystem, folder: string): Generator<string> {
  for (const { name, type } of files.list(folder)) {
    const path = child(folder, name)
    if (type === 'directory' && name !== 'node_modules' && !name.startsWith('.')) yield* discover(files, path)
    else if (type === 'file' && TEST_FILE.test(name)) yield path
  }
}

async function bunTest(args: string[], base: Omit<Program, 'entries' | 'argv'>, world: CommandWorld): Promise<CommandResult> {
  const filters: string[] = []
  const names: string[] = []
  let bail = 0
  let timeout: number | undefined
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ''
    const [flag, inline] = arg.includes('=') && arg.startsWith('--') ? [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)] : [arg]
    if (flag === '-t' || flag === '--test-name-pattern') names.push(inline ?? args[++i] ?? '')
    else if (flag === '--bail') bail = Number(inline ?? 1)
    else if (flag === '--timeout') timeout = Number(inline ?? args[++i])
    else if (flag === '--coverage' || flag === '--watch' || flag === '-u' || flag === '--update-snapshots') return fails('bun', `${flag} is not here.`)
    else if (arg.startsWith('-')) continue
    else filters.push(arg)
  }
  const all = [...discover(world.files, base.cwd)]
  const named = filters.flatMap((filter) => {
    const path = normalise(filter, base.cwd)
    if (world.files.stat(path)?.type === 'file') return [path]
    return all.filter((file) => relative(base.cwd, file).includes(filter.replace(/^\.\//, '')))
  })
  const paths = filters.length > 0 ? [...new Set(named)] : all
  const stdout: string[] = [`bun test v${BUN_VERSION}\n`]
  const stderr: string[] = []
  if (paths.length === 0) {
    stderr.push(filters.length > 0
      ? `The following filters did not match any test files:\n ${filters.join(' ')}\n\nnote: Tests need ".test", "_test_", ".spec" or "_spec_" in the filename (ex: "MyApp.test.ts")\n`
      : `No tests found!\n\nTests need ".test", "_test_", ".spec" or "_spec_" in the filename (ex: "MyApp.test.ts")\n`)
    return { stdout: stdout.join(''), stderr: stderr.join(''), exitCode: 1 }
  }
  const started = performance.now()
  const total: BunCounts = { pass: 0, fail: 0, skip: 0, todo: 0, expects: 0, filtered: 0 }
  let errors = 0
  for (const path of paths) {
    stderr.push(`\n${relative(base.cwd, path)}:\n`)
    const ended = await run({ ...base, argv: ['/usr/local/bin/bun', path], entries: [{ path: world.files.realpath(path) }], testOptions: { names, bail, timeout } }, world)
    stdout.push(textOf(ended.stdout))
    stderr.push(textOf(ended.stderr))
    if (ended.counts) {
      const { pass, fail, skip, todo, expects, filtered = 0 } = ended.counts
      Object.assign(total, { pass: total.pass + pass, fail: total.fail + fail, skip: total.skip + skip, todo: total.todo + todo, expects: total.expects + expects, filtered: (total.filtered ?? 0) + filtered })
    }
    // node:test in Bun: the same results in Bun's words.
    const visit = (tests: typeof ended.tests, above: string): void => {
      for (const test of tests ?? []) {
        const name = above === '' ? test.name : `${above} > ${test.name}`
        visit(test.children, name)
        if (test.type === 'suite') continue
        const kind = test.skip ? 'skip' : test.todo ? 'todo' : test.ok ? 'pass' : 'fail'
        total[kind]++
        if (kind === 'fail' && test.error) stderr.push(`error: ${test.error.message}\n${test.error.stack.map((line) => `      at ${line}\n`).join('')}`)
        stderr.push(`(${kind}) ${name} [${test.ms.toFixed(2)}ms]\n`)
      }
    }
    visit(ended.tests, '')
    // It failed before or outside of its tests: while loading, or by leaving.
    if (ended.exitCode !== 0 && !ended.counts?.fail && !ended.tests?.length) {
      errors++
      total.fail++
      stderr.push('\n# Unhandled error between tests\n-------------------------------\n')
    }
    if (ended.limit || (bail > 0 && total.fail >= bail)) break
  }
  const ran = total.pass + total.fail + total.skip + total.todo - errors
  const line = (count: number, word: string) => ` ${count} ${word}\n`
  stderr.push('\n', line(total.pass, 'pass'))
  if (total.skip > 0) stderr.push(line(total.skip, 'skip'))
  if (total.todo > 0) stderr.push(line(total.todo, 'todo'))
  if (total.filtered) stderr.push(line(total.filtered, 'filtered out'))
  stderr.push(line(total.fail, 'fail'))
  if (errors > 0) stderr.push(line(errors, errors === 1 ? 'error' : 'errors'))
  if (total.expects > 0) stderr.push(` ${total.expects} expect() calls\n`)
  stderr.push(`Ran ${ran} test${ran === 1 ? '' : 's'} across ${paths.length} file${paths.length === 1 ? '' : 's'}. [${(performance.now() - started).toFixed(2)}ms]\n`)
  return { stdout: stdout.join(''), stderr: stderr.join(''), exitCode: total.fail > 0 ? 1 : 0 }
}
