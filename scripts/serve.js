/** Serves the built app: isolation headers, gzip, the app itself for every address that is not a file. */
import { createServer } from 'node:http'
import { existsSync } from 'node:fs'
import sirv from 'sirv'
import { headers } from './headers.js'
import { root } from './run.js'

/**
 * @param {{ port: number, host: string, strict?: boolean }} options strict: fail when the port is taken, instead of taking the next free one
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function serve({ port, host, strict = false }) {
  const folder = `${root}build`
  if (!existsSync(`${folder}/index.html`)) throw new Error('There is no built app yet. Run: npm run build')
  const files = sirv(folder, {
    single: true,
    gzip: true,
    etag: true,
    setHeaders(response, path) {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      const hashed = path.startsWith('/_app/immutable/')
      response.setHeader('Cache-Control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  const server = createServer((request, response) => {
    files(request, response, () => {
      response.writeHead(404, { ...headers, 'Content-Type': 'text/plain; charset=utf-8' })
      response.end('Not found')
    })
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
  return { url: `http://${shown}:${bound}/`, close: () => server.close() }
}
