/** Serves the built app: its headers, gzip, and the app's own page for addresses that don't exist. */
import { createServer } from 'node:http'
import { existsSync, readFileSync } from 'node:fs'
import sirv from 'sirv'
import { headersFor } from './headers.js'
import { root } from './run.js'

/**
 * @param {{ port: number, host: string, strict?: boolean, folder?: string, base?: string, headers?: (path: string) => Record<string, string> }} options
 *   strict: fail when the port is taken, instead of taking the next free one; base: the path it lies under, `/halo`;
 *   headers: those of another host
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function serve({ port, host, strict = false, folder = `${root}build`, base = '', headers = headersFor }) {
  if (!existsSync(`${folder}/index.html`)) throw new Error('There is no built app yet. Run: npm run build')
  const files = sirv(folder, {
    gzip: true,
    etag: true,
    // sirv names a page by its file: /embed is /embed.html to it, and the same to headersFor.
    setHeaders(response, path) {
      for (const [name, value] of Object.entries(headers(path))) response.setHeader(name, value)
    },
  })
  const missing = readFileSync(`${folder}/404.html`)
  const server = createServer((request, response) => {
    const address = request.url ?? '/'
    const notFound = () => {
      response.writeHead(404, { ...headers('/404.html'), 'Content-Type': 'text/html; charset=utf-8' })
      response.end(missing)
    }
    if (base !== '' && address === base) return response.writeHead(301, { Location: `${base}/` }).end()
    if (!address.startsWith(`${base}/`)) return notFound()
    request.url = address.slice(base.length)
    files(request, response, notFound)
  })
  for (let attempt = port; ; attempt++) {
    const problem = await new Promise((resolve) => {
      server.once('error', resolve)
      server.listen(attempt, host, () => {
        server.off('error', resolve)
        resolve(undefined)
      })
    })
    if (problem === undefined) break
    if (problem.code !== 'EADDRINUSE' || strict || attempt - port > 100) throw problem
  }
  const address = server.address()
  const bound = typeof address === 'object' && address ? address.port : port
  const shown = host === '127.0.0.1' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${shown}:${bound}${base}/`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
