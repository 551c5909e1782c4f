import { child, dirname } from '../../paths.ts'
import { packageJson, packageScope } from '../js/resolve.ts'
import { exported, fails, stdinText, type CommandResult, type CommandWorld, type Run } from './program.ts'

const NPM_VERSION = '10.8.2'
const REGISTRY = new Set(['install', 'i', 'ci', 'add', 'update', 'up', 'uninstall', 'remove', 'rm', 'publish', 'audit', 'outdated', 'view', 'info', 'search', 'pack', 'link', 'login', 'exec', 'create', 'init'])

export const npm: Run = (args, world, context) => {
  const silent = args.some((arg) => arg === '-s' || arg === '--silent')
  const [first, ...rest] = args.filter((arg, i) => !['-s', '--silent'].includes(arg) || args.indexOf('--') >= 0 && i > args.indexOf('--'))
  const base = { cwd: context.cwd, env: exported(context), stdin: stdinText(context), silent }
  switch (first) {
    case '-v':
    case '--version':
      return { stdout: `${NPM_VERSION}\n`, stderr: '', exitCode: 0 }
    case 'test': case 't': case 'tst':
      return script('test', rest)
    case 'start': case 'stop': case 'restart':
      return script(first, rest)
    case 'run': case 'run-script': case 'rum': case 'urn': {
      const [name, ...more] = rest
      return name === undefined ? list() : script(name, more)
    }
    case undefined:
      return fails('npm', 'say what to do: npm test, npm run NAME, npm start.')
    default:
      if (REGISTRY.has(first)) return fails('npm', `"npm ${first}" is not here: this sandbox has no package registry. Packages in node_modules of the workspace can be used.`)
      return fails('npm', `Unknown command: "${first}"`)
  }

  function script(name: string, args: string[]): Promise<CommandResult> | CommandResult {
    const optional = args.includes('--if-present')
    const passed = args.filter((arg, i) => arg !== '--if-present' && !(arg === '--' && args.indexOf('--') === i))
    const ran = runScript('npm', name, passed, world, base)
    if (ran) return ran
    if (optional) return { stdout: '', stderr: '', exitCode: 0 }
    if (!packageScope(world.files, context.cwd)) return { stdout: '', stderr: `npm error code ENOENT\nnpm error enoent Could not read package.json: no such file in ${context.cwd}\n`, exitCode: 254 }
    return { stdout: '', stderr: `npm error Missing script: "${name}"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run\n`, exitCode: 1 }
  }

  function list(): CommandResult {
    const scripts = scriptsOf(world, context.cwd)
    return { stdout: scripts ? Object.entries(scripts.scripts).map(([name, line]) => `  ${name}\n    ${line}\n`).join('') : '', stderr: '', exitCode: scripts ? 0 : 1 }
  }
}

function scriptsOf(world: CommandWorld, cwd: string): { folder: string; name: string; scripts: Record<string, string> } | undefined {
  const scope = packageScope(world.files, cwd)
  const scripts = scope?.json.scripts
  if (!scope || typeof scripts !== 'object' || scripts === null) return undefined
  const { version } = packageJson(world.files, scope.folder) as { version?: unknown }
  return { folder: scope.folder, name: `${String(scope.json.name ?? '')}${version === undefined ? '' : `@${String(version)}`}`, scripts: scripts as Record<string, string> }
}

/** Runs a script of package.json with its pre and post scripts; undefined when there is none of that name. */
export function runScript(
  runner: 'npm' | 'bun', name: string, args: string[], world: CommandWorld, base: { cwd: string; env: Record<string, string>; stdin?: string; silent?: boolean },
): Promise<CommandResult> | undefined {
  const found = scriptsOf(world, base.cwd)
  if (!found || !Object.hasOwn(found.scripts, name)) return undefined
  return runAll(found)

  async function runAll({ folder, name: packageName, scripts }: { folder: string; name: string; scripts: Record<string, string> }): Promise<CommandResult> {
    let stdout = ''
    let stderr = ''
    for (const step of [`pre${name}`, name, `post${name}`]) {
      const line = scripts[step]
      if (line === undefined) continue
      const extra = step === name ? args : []
      const shown = [line, ...extra].join(' ')
      if (!base.silent) {
        if (runner === 'npm') stdout += `\n> ${packageName ? `${packageName} ` : ''}${step}\n> ${shown}\n\n`
        else stderr += `$ ${shown}\n`
      }
      const path = [...binFolders(folder), base.env.PATH ?? '/usr/bin:/bin'].join(':')
      const result = await world.shell(line, { cwd: folder, env: { ...base.env, PATH: path, npm_lifecycle_event: step, npm_package_name: packageName.replace(/@[^@]*$/, ''), INIT_CWD: base.cwd }, stdin: base.stdin ?? '', args: extra })
      stdout += result.stdout
      stderr += result.stderr
      if (result.exitCode !== 0) return { stdout, stderr: stderr + (runner === 'bun' ? `error: script "${step}" exited with code ${result.exitCode}\n` : ''), exitCode: result.exitCode }
    }
    return { stdout, stderr, exitCode: 0 }
  }
}

function binFolders(folder: string): string[] {
  return folder === '/' ? ['/node_modules/.bin'] : [child(folder, 'node_modules/.bin'), ...binFolders(dirname(folder))]
}
