import { child, normalise } from '../../paths.ts'
import { posixError } from '../shell-files.ts'
import { textOf } from '../encoding.ts'
import { fails, stdinBytes, stdinText, type CommandResult, type Run } from './program.ts'

const ok = (stdout: string): CommandResult => ({ stdout, stderr: '', exitCode: 0 })
const flagsOf = (args: readonly string[]) => args.filter((arg) => arg.startsWith('-') && arg !== '-')
const wordsOf = (args: readonly string[]) => args.filter((arg) => !arg.startsWith('-') || arg === '-')

export const realpath: Run = (args, { files }, { cwd }) => {
  const flags = flagsOf(args)
  const missingOk = flags.includes('-m') || flags.includes('--canonicalize-missing')
  const mustExist = flags.includes('-e') || flags.includes('--canonicalize-existing')
  const words = wordsOf(args)
  if (words.length === 0) return fails('realpath', 'missing operand')
  const out: string[] = []
  const errors: string[] = []
  for (const word of words) {
    const at = normalise(word, cwd)
    try {
      const real = files.realpath(at)
      const there = files.lstat(real) ?? (mustExist || missingOk ? undefined : files.stat(real.slice(0, real.lastIndexOf('/')) || '/'))
      if (!there && !missingOk) errors.push(`realpath: ${word}: No such file or directory\n`)
      else out.push(`${flags.includes('-s') ? at : real}\n`)
    } catch (error) {
      errors.push(`realpath: ${word}: ${posixError(error, 'realpath', word).message}\n`)
    }
  }
  return { stdout: out.join(''), stderr: errors.join(''), exitCode: errors.length > 0 ? 1 : 0 }
}

export const mktemp: Run = (args, { files }, context) => {
  let folder: string | undefined
  let makeFolder = false
  let dry = false
  let template: string | undefined
  let suffix = ''
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ''
    if (arg === '-d' || arg === '--directory') makeFolder = true
    else if (arg === '-u' || arg === '--dry-run') dry = true
    else if (arg === '-q' || arg === '--quiet') continue
    else if (arg === '-t') folder ??= context.env.get('TMPDIR') ?? '/tmp'
    else if (arg === '-p') folder = args[++i]
    else if (arg.startsWith('--tmpdir')) folder = arg.includes('=') ? arg.slice(9) : (context.env.get('TMPDIR') ?? '/tmp')
    else if (arg.startsWith('--suffix=')) suffix = arg.slice(9)
    else if (arg.startsWith('-')) return fails('mktemp', `unknown option ${arg}`)
    else template = arg
  }
  if (template === undefined) folder ??= context.env.get('TMPDIR') ?? '/tmp'
  const name = template ?? 'tmp.XXXXXXXXXX'
  const place = /X{3,}(?=[^X]*$)/.exec(name)
  if (!place) return fails('mktemp', `too few X's in template '${name}'`)
  for (let attempt = 0; attempt < 100; attempt++) {
    const letters = Array.from(crypto.getRandomValues(new Uint8Array(place[0].length)), (byte) => 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'[byte % 62]).join('')
    const made = name.slice(0, place.index) + letters + name.slice(place.index + place[0].length) + suffix
    const shown = folder === undefined ? made : child(folder === '/' ? '/' : folder.replace(/\/+$/, ''), made)
    const at = normalise(shown, context.cwd)
    if (files.lstat(at)) continue
    try {
      if (!dry && makeFolder) files.mkdir(at)
      else if (!dry) files.write(at, new Uint8Array())
    } catch (error) {
      return fails('mktemp', `failed to create ${makeFolder ? 'directory' : 'file'} via template '${shown}': ${posixError(error, 'open', shown).message}`)
    }
    return ok(`${shown}\n`)
  }
  return fails('mktemp', 'no free name was found')
}

export const cmp: Run = (args, { files }, context) => {
  const quiet = args.some((arg) => arg === '-s' || arg === '--silent' || arg === '--quiet')
  const list = args.includes('-l')
  const [a, b = '-'] = wordsOf(args)
  if (a === undefined) return fails('cmp', 'missing operand', 2)
  const contents: Uint8Array[] = []
  for (const name of [a, b]) {
    try {
      contents.push(name === '-' ? stdinBytes(context) : files.read(normalise(name, context.cwd)))
    } catch {
      return quiet ? { stdout: '', stderr: '', exitCode: 2 } : fails('cmp', `${name}: No such file or directory`, 2)
    }
  }
  const [x = new Uint8Array(), y = new Uint8Array()] = contents
  const shorter = Math.min(x.length, y.length)
  const lines: string[] = []
  let line = 1
  for (let i = 0; i < shorter; i++) {
    if (x[i] !== y[i]) {
      if (quiet) return { stdout: '', stderr: '', exitCode: 1 }
      if (!list) return { stdout: `${a} ${b} differ: byte ${i + 1}, line ${line}\n`, stderr: '', exitCode: 1 }
      lines.push(`${i + 1} ${(x[i] ?? 0).toString(8).padStart(3)} ${(y[i] ?? 0).toString(8).padStart(3)}\n`)
    }
    if (x[i] === 10) line++
  }
  const eof = x.length === y.length || quiet ? '' : `cmp: EOF on ${x.length < y.length ? a : b} after byte ${shorter}, line ${line}\n`
  return { stdout: lines.join(''), stderr: eof, exitCode: lines.length > 0 || x.length !== y.length ? 1 : 0 }
}

export const shuf: Run = (args, { files }, context) => {
  let count = Infinity
  let echo = false
  let repeat = false
  let range: [number, number] | undefined
  let output: string | undefined
  const words: string[] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ''
    if (arg === '-n' || arg === '--head-count') count = Number(args[++i])
    else if (/^-n\d+$/.test(arg)) count = Number(arg.slice(2))
    else if (arg.startsWith('--head-count=')) count = Number(arg.slice(13))
    else if (arg === '-e' || arg === '--echo') echo = true
    else if (arg === '-r' || arg === '--repeat') repeat = true
    else if (arg === '-o') output = args[++i]
    else if (arg === '-i' || arg.startsWith('--input-range=') || /^-i\d/.test(arg)) {
      const text = arg === '-i' ? (args[++i] ?? '') : arg.replace(/^(?:-i|--input-range=)/, '')
      const [from, to] = text.split('-').map(Number)
      if (from === undefined || to === undefined || !(from <= to) || to - from > 1e6) return fails('shuf', `invalid input range: '${text}'`)
      range = [from, to]
    } else words.push(arg)
  }
  let lines: string[]
  if (range) lines = Array.from({ length: range[1] - range[0] + 1 }, (_, i) => String((range?.[0] ?? 0) + i))
  else if (echo) lines = words
  else {
    try {
      const text = words[0] === undefined || words[0] === '-' ? stdinText(context) : textOf(files.read(normalise(words[0], context.cwd)))
      lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
    } catch {
      return fails('shuf', `${words[0] ?? ''}: No such file or directory`)
    }
  }
  const random = (below: number) => Math.floor(Math.random() * below)
  let chosen: string[]
  if (repeat) chosen = lines.length === 0 ? [] : Array.from({ length: Math.min(count, 100_000) }, () => lines[random(lines.length)] ?? '')
  else {
    chosen = [...lines]
    for (let i = chosen.length - 1; i > 0; i--) {
      const k = random(i + 1)
      const held = chosen[i] ?? ''
      chosen[i] = chosen[k] ?? ''
      chosen[k] = held
    }
    chosen = chosen.slice(0, count)
  }
  const text = chosen.map((line) => `${line}\n`).join('')
  if (output === undefined) return ok(text)
  files.write(normalise(output, context.cwd), new TextEncoder().encode(text))
  return ok('')
}

/** Pipes here hold whole outputs, so an endless writer must end by itself: long enough for any `head`. */
const YES_LINES = 10_000
export const yes: Run = (args) => ok(`${args.length > 0 ? args.join(' ') : 'y'}\n`.repeat(YES_LINES))

export const nproc: Run = () => ok('1\n')

export const uname: Run = (args) => {
  const parts: Record<string, string> = { s: 'Linux', n: 'halo', r: '6.0.0', v: '#1', m: 'wasm32', p: 'unknown', i: 'unknown', o: 'GNU/Linux' }
  const letters = args.flatMap((arg) => ({ '--all': ['a'], '--kernel-name': ['s'], '--machine': ['m'], '--nodename': ['n'], '--kernel-release': ['r'], '--operating-system': ['o'] })[arg] ?? [...arg.replace(/^-/, '')])
  if (letters.includes('a')) return ok('Linux halo 6.0.0 #1 wasm32 GNU/Linux\n')
  const unknown = letters.find((letter) => !Object.hasOwn(parts, letter))
  if (unknown !== undefined) return fails('uname', `invalid option -- '${unknown}'`)
  return ok(`${(letters.length > 0 ? [...'snrvmpio'].filter((letter) => letters.includes(letter)) : ['s']).map((letter) => parts[letter]).join(' ')}\n`)
}

/** Tools that people try and that aren't here, and what to do instead. */
export const absent: Record<string, string> = {
  python: 'use node for scripts', python3: 'use node for scripts', pip: 'there is no Python here', pip3: 'there is no Python here',
  git: 'every change by a run is listed and can be undone without it; for comparisons there is diff', make: 'put the steps into scripts of package.json and use npm run', cmake: 'there is no compiler here', gcc: 'there is no compiler here', cc: 'there is no compiler here', 'g++': 'there is no compiler here', clang: 'there is no compiler here',
  go: 'use JavaScript or TypeScript', cargo: 'use JavaScript or TypeScript', rustc: 'use JavaScript or TypeScript', java: 'use JavaScript or TypeScript', javac: 'use JavaScript or TypeScript', ruby: 'use JavaScript or TypeScript', perl: 'use awk, sed or node', php: 'use JavaScript or TypeScript', deno: 'use node or bun',
  sqlite3: 'there is no database here', docker: 'there are no containers here', apt: 'nothing can be installed here', 'apt-get': 'nothing can be installed here', brew: 'nothing can be installed here', sudo: 'commands run without a super user', su: 'commands run without a super user',
  npx: 'there is no package registry here; run scripts of package.json with npm run', yarn: 'use npm run', pnpm: 'use npm run', tsc: 'types are left out when TypeScript runs, and not checked; use tsx, node or bun', eslint: 'it is not installed', vitest: 'use node --test or bun test', jest: 'use node --test or bun test',
  ssh: 'there are no other machines here', scp: 'there are no other machines here', wget: 'use curl, where the network is allowed', vi: 'use sed, or a here-document', vim: 'use sed, or a here-document', nano: 'use sed, or a here-document', kill: 'there is one process at a time', ps: 'there is one process at a time', killall: 'there is one process at a time', top: 'there is one process at a time', zip: 'use tar', unzip: 'use tar', yq: 'use jq', xan: 'use awk',
}

/** What the shell says of a command that isn't there, with the hint where there is one. */
export function explainAbsent(text: string): string {
  return text.replace(/^bash: (?:line \d+: )?([\w.+-]+): command not (?:found|available in browser environments\..*)$/gm, (line, name: string) =>
    Object.hasOwn(absent, name) ? `bash: ${name}: it is not in this sandbox (${absent[name]}).` : line.endsWith('found') ? line : `bash: ${name}: it is not in this sandbox.`,
  )
}
