/// <reference no-default-lib="true"/>
/// <reference lib="esnext" />
/// <reference lib="webworker" />
/// <reference types="@sveltejs/kit" />
/**
 * Keeps the whole page for times without a network: every file of the build, engine and workers included. A new version
 * is fetched beside the old one and waits until a person agrees to it (`offline/updates.svelte.ts`).
 */
import { base, build, files, prerendered, version } from '$service-worker'

const scope = globalThis as unknown as ServiceWorkerGlobalScope
const PREFIX = `halo:${base}/:`
const CACHE = PREFIX + version

/** What hosts read and don't serve. */
const HOST_FILES = new Set([`${base}/_headers`, `${base}/_redirects`, `${base}/.nojekyll`])
const pages = new Set(prerendered)
const listed = new Set([...build, ...files.filter((path) => !HOST_FILES.has(path)), ...pages])

/** Hosts that can't set these get them from here, from the second visit on. See scripts/headers.js. */
const ISOLATION = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }

scope.addEventListener('install', (event) => event.waitUntil(fill()))
scope.addEventListener('activate', (event) => event.waitUntil(takeOver()))
scope.addEventListener('message', (event) => {
  if (event.data === 'skip-waiting') void scope.skipWaiting()
})
scope.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== scope.location.origin) return
  const path = request.mode === 'navigate' ? pageOf(url.pathname) : url.pathname
  if (path === undefined || !(listed.has(path) || path.startsWith(`${base}/_app/immutable/`))) return
  event.respondWith(answer(path, request))
})

/** Fetches every file; what an older version has under the same hashed name is taken from there. */
async function fill(): Promise<void> {
  const cache = await caches.open(CACHE)
  try {
    const paths = [...listed]
    // A few at a time: a page that is being used shares the connection.
    const next = async (): Promise<void> => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
        if (await cache.match(path)) continue
        const kept = build.includes(path) ? await caches.match(path) : undefined
        await cache.put(path, kept ?? (await load(path)))
      }
    }
    await Promise.all(Array.from({ length: 6 }, next))
  } catch (thrown) {
    // A part of it is of no use, and would take room from the person's work.
    await caches.delete(CACHE)
    throw thrown
  }
}

async function load(path: string): Promise<Response> {
  const response = await fetch(path, { cache: build.includes(path) ? 'default' : 'no-cache' })
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  // An answer that came by a redirect can't be given to a navigation.
  return response.redirected ? new Response(await response.blob(), { headers: response.headers }) : response
}

/** Tabs that still show the version before load its parts on first use: that version stays, older ones go. */
async function takeOver(): Promise<void> {
  const others = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE)
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)))
  await scope.clients.claim()
}

async function answer(path: string, request: Request): Promise<Response> {
  const cached = (await (await caches.open(CACHE)).match(path)) ?? (await caches.match(path))
  return isolated(cached ?? (await fetch(request)))
}

function isolated(response: Response): Response {
  // An answer that can't be read can't be copied either, and one with the headers needs no copy.
  if (response.type === 'opaqueredirect' || response.redirected || response.headers.has('Cross-Origin-Embedder-Policy')) return response
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value)
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}

/** The page a navigation is for, as the build lists it. */
function pageOf(pathname: string): string | undefined {
  const plain = pathname.replace(/(\/index)?\.html$/, '')
  return [pathname, plain, `${plain}/`, plain.replace(/\/$/, '')].find((path) => pages.has(path))
}
