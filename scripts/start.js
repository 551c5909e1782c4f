/** `npm start`: builds the app and serves it. `-- --port 4000 --host 0.0.0.0 --no-build`. */
import { parseArgs } from 'node:util'
import { serve } from './serve.js'
import { tool } from './run.js'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: process.env.PORT ?? '4173' },
    host: { type: 'string', default: process.env.HOST ?? '127.0.0.1' },
    /** Fail when the port is taken. */
    strict: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
  },
})

const port = Number(values.port)
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  console.error(`--port takes a number from 0 to 65535, not ${values.port}.`)
  process.exit(2)
}

if (!values['no-build']) {
  console.log('Building …')
  const { code, output } = await tool('vite', ['build', '--logLevel', 'warn'], { quiet: true })
  if (code !== 0) {
    console.error(output)
    process.exit(code)
  }
}
const { url } = await serve({ port, host: values.host, strict: values.strict })
console.log(`Halo is at ${url}\nCtrl-C stops it.`)
