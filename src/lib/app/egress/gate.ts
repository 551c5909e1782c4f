/**
 * The one way out for what runs: every request of a model, a tool or a store goes through this `fetch`, and every command
 * with a network asks here first. Where it may go is agreed per project (`egress.svelte.ts`).
 */
import { HaloError } from '../../halo/errors.ts'
import type { Sandbox, SandboxHandle } from '../../halo/sandbox/types.ts'
import { egressWords as words } from './words.ts'

/** Every address: what a command with `network: true` asks for. */
export const ANYWHERE = '*'

/** May requests go to this origin (or to `ANYWHERE`)? `url` is the whole address, to be shown. Rejects when the signal aborts. */
export type Permit = (origin: string, url: string, signal?: AbortSignal | null) => Promise<boolean>

/** Headers that hold no secret, whatever is in them; any other may be one. */
const PLAIN_HEADERS = /^(accept(-.*)?|content-(type|language)|user-agent|range|if-.*|cache-control|pragma|prefer|x-requested-with)$/i

/** @throws (rejects) HaloError POLICY_BLOCKED when the person says no, or when a redirect would take a secret along */
export function gatedFetch(permit: Permit, send: typeof fetch = globalThis.fetch.bind(globalThis)): typeof fetch {
  const check = async (url: URL, signal?: AbortSignal | null): Promise<void> => {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new HaloError('POLICY_BLOCKED', words.scheme(url.protocol))
    if (!(await permit(url.origin, url.href, signal))) throw new HaloError('POLICY_BLOCKED', words.refused(url.origin))
  }
  return async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    await check(url, request.signal)
    // A browser follows redirects by itself, and takes every header but Authorization along to the other origin.
    const secret = [...request.headers.keys()].some((name) => !PLAIN_HEADERS.test(name))
    const bare = !secret && (request.method === 'GET' || request.method === 'HEAD')
    if (request.redirect !== 'follow') return send(request)
    if (!bare) return stay(url, await send(new Request(request, { redirect: 'manual' })))
    const response = await send(request)
    const end = response.redirected ? new URL(response.url) : url
    // Nothing but the address went there; the answer is not for what runs until that is agreed too.
    if (end.origin !== url.origin) await check(end, request.signal)
    return response
  }
}

/** An answer that would lead elsewhere: a page can't see where to. */
function stay(url: URL, response: Response): Response {
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400 && response.headers.has('location'))) {
    throw new HaloError('POLICY_BLOCKED', words.redirect(url.origin))
  }
  return response
}

/** The same sandbox, whose commands ask before they use a network. */
export function gatedSandbox(sandbox: Sandbox, permit: Permit): Sandbox {
  return {
    ...gatedHandle(sandbox, permit),
    engine: sandbox.engine,
    watch: (listener) => sandbox.watch(listener),
    content: (hash) => sandbox.content(hash),
    fork: async () => gatedSandbox(await sandbox.fork(), permit),
    dispose: () => sandbox.dispose(),
  }
}

function gatedHandle(handle: SandboxHandle, permit: Permit): SandboxHandle {
  return {
    base: handle.base,
    read: (path) => handle.read(path),
    stat: (path) => handle.stat(path),
    list: (path) => handle.list(path),
    write: (path, content) => handle.write(path, content),
    mkdir: (path) => handle.mkdir(path),
    remove: (path) => handle.remove(path),
    rename: (from, to) => handle.rename(from, to),
    realpath: (path) => handle.realpath(path),
    open: (rules, onChange) => gatedHandle(handle.open(rules, onChange), permit),
    async exec(command, options) {
      const network: string[] = []
      for (const prefix of options?.network ?? []) {
        const origin = URL.canParse(prefix) ? new URL(prefix).origin : ANYWHERE
        if (await permit(origin, prefix, options?.signal)) network.push(prefix)
      }
      return handle.exec(command, options?.network ? { ...options, network } : options)
    },
  }
}
