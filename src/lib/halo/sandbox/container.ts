import type { WebContainer, WebContainerProcess } from '@webcontainer/api'

/** What of WebContainers is used; tests put their own in its place. */
export type Container = Pick<WebContainer, 'fs' | 'teardown'> & { spawn(command: string, args: string[], options?: { cwd?: string; env?: Record<string, string> }): Promise<Pick<WebContainerProcess, 'exit' | 'output' | 'kill' | 'input'>> }

/** A container that hasn't answered after so many milliseconds is given up: without a network it never does. */
const PATIENCE_MS = 60_000

/** Why WebContainers can't run in this page, in words; undefined where they can be tried. */
export function webContainerMissing(scope: { crossOriginIsolated?: boolean; isSecureContext?: boolean } = globalThis as never): string | undefined {
  if (scope.isSecureContext === false) return 'WebContainers need a page served over https (or from this machine).'
  if (scope.crossOriginIsolated !== true) return 'WebContainers need a cross-origin isolated page: it must be served with the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.'
  return undefined
}

/** The page's one container: no page can have two. Loads `@webcontainer/api` and, from the network, the container itself. */
let page: Promise<Container> | undefined
let folders = 0

/** A folder of its own in the page's container. Rejects with words where there can't be one. */
export async function bootContainer(patienceMs = PATIENCE_MS): Promise<Container> {
  const missing = webContainerMissing()
  if (missing !== undefined) throw new Error(missing)
  // What fails may be tried again; what is still on its way is waited for once more.
  page ??= import('@webcontainer/api')
    .then(({ WebContainer: api }) => api.boot({ coep: 'require-corp' }))
    .catch((error: unknown) => {
      page = undefined
      throw error
    })
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing answered within ${Math.round(patienceMs / 1000)} s; they come from the network.`)), patienceMs)
  })
  try {
    return await rooted(await Promise.race([page, late]), `halo-${++folders}`)
  } finally {
    clearTimeout(timer)
  }
}

/** A container as seen from one of its folders. Taking it down removes the folder and leaves the container to others. */
export async function rooted(container: Container, folder: string): Promise<Container> {
  await container.fs.mkdir(folder, { recursive: true })
  const at = (path: string) => (path === '.' ? folder : `${folder}/${path}`)
  const { fs } = container
  return {
    fs: new Proxy(fs, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name)
        // Every method that is used takes a path first.
        return typeof method === 'function' ? (path: string, ...rest: unknown[]): unknown => method.call(target, at(path), ...rest) : method
      },
    }),
    spawn: (command, args, options) => container.spawn(command, args, { ...options, cwd: at(options?.cwd ?? '.') }),
    teardown: () => void fs.rm(folder, { recursive: true, force: true }).catch(() => undefined),
  }
}
