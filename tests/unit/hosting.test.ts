import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { csp, headersFor } from '../../scripts/headers.js'

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
type Headers = Record<string, string>

/** One address of each kind that the built folder has. */
const ADDRESSES = [
  '/', '/index.html', '/404.html', '/embed', '/embed.html', '/service-worker.js', '/manifest.webmanifest', '/favicon.svg', '/icons/icon-192.png', '/_app/version.json',
  '/_app/immutable/workers/worker-Bi9VhHDq.js', '/_app/immutable/chunks/-eMM3Hdb.js', '/_app/immutable/entry/start.js', '/_app/immutable/nodes/0.js', '/_app/immutable/assets/engine.wasm',
]

/** Netlify and Cloudflare join the values of all rules that match, so a header in two of them would come out wrong. */
function byHeadersFile(source: string, path: string): Headers {
  const headers: Headers = {}
  let applies = false
  for (const line of source.split('\n').filter((one) => one.trim() && !one.startsWith('#'))) {
    if (!line.startsWith(' ')) {
      applies = line.endsWith('*') ? path.startsWith(line.slice(0, -1)) : line === path
      continue
    }
    const [, name = '', value = ''] = /^ {2}([\w-]+): (.+)$/.exec(line) ?? expect.fail(`not a header: ${line}`)
    if (applies) headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  return headers
}

/** Vercel takes every source as a whole expression; a later rule replaces a header of an earlier one. */
function byVercel(config: { headers: { source: string; headers: { key: string; value: string }[] }[] }, path: string): Headers {
  const rules = config.headers.filter(({ source }) => new RegExp(`^${source}$`).test(path))
  return Object.fromEntries(rules.flatMap((rule) => rule.headers.map(({ key, value }) => [key, value])))
}

function byNginx(source: string, path: string): Headers {
  const values = new Map<string, string>()
  for (const [, variable = '', body = ''] of source.matchAll(/^map \$uri \$(\w+) \{\n([^}]*)\}/gm)) {
    const cases = [...body.matchAll(/^ {2}(\S+) "(.*)";$/gm)].map(([, key = '', value = '']) => ({ key, value }))
    // Exact strings come before expressions, these in their order, then the default.
    const found =
      cases.find(({ key }) => key === path) ?? cases.find(({ key }) => key.startsWith('~') && new RegExp(key.slice(1)).test(path)) ?? cases.find(({ key }) => key === 'default')
    values.set(variable, found?.value ?? '')
  }
  const headers = [...source.matchAll(/^ {2}add_header ([\w-]+) (?:"(.*)"|\$(\w+)) always;$/gm)].map(([, name = '', fixed, variable]): [string, string] => [name, fixed ?? values.get(variable ?? '') ?? ''])
  return Object.fromEntries(headers.filter(([, value]) => value !== ''))
}

const hosts: [string, (path: string) => Headers][] = [
  ['static/_headers', (path) => byHeadersFile(text('static/_headers'), path)],
  ['vercel.json', (path) => byVercel(JSON.parse(text('vercel.json')), path)],
  ['hosting/nginx.conf', (path) => byNginx(text('hosting/nginx.conf'), path)],
]
describe.each(hosts)('%s', (_, headersOf) => {
  test.each(ADDRESSES)('serves %s with the same headers as npm start', (path) => {
    expect(headersOf(path)).toEqual(headersFor(path))
  })
})

describe('the headers', () => {
  test('isolate every address, and let nothing guess at types', () => {
    for (const path of ADDRESSES) {
      expect(headersFor(path)).toMatchObject({
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
      })
    }
  })

  test('let other sites frame /embed and nothing else', () => {
    const framed = ADDRESSES.filter((path) => headersFor(path)['Content-Security-Policy']?.includes('frame-ancestors *'))
    expect(framed).toEqual(['/embed', '/embed.html'])
    expect(headersFor('/embedded')['X-Frame-Options']).toBe('SAMEORIGIN')
  })

  test('keep files with a hash in their name for ever, and ask anew for all others', () => {
    for (const path of ADDRESSES) expect(headersFor(path)['Cache-Control']).toMatch(path.startsWith('/_app/immutable/') ? /immutable/ : /^no-cache$/)
  })

  test('allow no evaluated text and no inline script anywhere', () => {
    const policies = [JSON.stringify(csp), ...ADDRESSES.map((path) => headersFor(path)['Content-Security-Policy'] ?? '')]
    for (const policy of policies) expect(policy).not.toMatch(/(?<!wasm-)unsafe-(eval|inline)/)
    expect(csp['default-src']).toEqual(['none'])
    expect(csp['require-trusted-types-for']).toEqual(['script'])
  })
})
