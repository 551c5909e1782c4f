/** The table of docs/models.md, from the same record that the tests hold the adapters to. */
import { providers } from '../../../src/lib/halo/models/catalogue.ts'

const yes = (value: boolean): string => (value ? 'yes' : 'no')
const toolsOff = { request: 'asked for', ignored: 'calls ignored', none: '–' }
const cors = { yes: 'yes', no: 'no', setting: 'when the server allows it', local: 'never leaves the page' }

export function capabilityTable(): string {
  const head = ['Provider', 'Streaming', 'Tools', 'Parallel calls', 'Images of results', 'Structured output', 'Tools off', 'Usage', 'From a page (CORS)']
  const rows = providers.map(({ prefix, capabilities: can }) => [
    `\`${prefix}/…\``,
    yes(can.streaming),
    yes(can.supportsTools),
    yes(can.parallelCalls),
    can.supportsTools ? can.images : can.images === 'no' ? 'no images' : 'images in prompts only',
    can.structuredOutput === 'native' ? 'by the provider' : 'asked for in words',
    toolsOff[can.toolsOff],
    yes(can.usage),
    cors[can.cors],
  ])
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}
