/** `Data()`: JSON and tables as text, read and written. */
import { Type } from 'typebox'
import { HaloError, messageOf } from '../../errors.ts'
import type { ProviderDefinition } from '../types.ts'
import { keyed, uniqueNames } from './columns.ts'

const strict = { additionalProperties: false }
// The argument is called input, so that in a pipeline the flowing value fills it.
const text = Type.String({ description: 'The text.' })

export const data: ProviderDefinition = {
  name: 'Data',
  description: 'Reads and writes JSON and CSV.',
  config: Type.Object({}),
  info: {
    json_parse: {
      description: 'Reads a JSON text; of one that is faulty it says where.',
      parameters: Type.Object({ input: text }, strict),
      effect: 'read',
      result: Type.Unknown({ description: 'The value.' }),
    },
    json_format: {
      description: 'Writes a value, or a JSON text anew, as JSON with indentation.',
      parameters: Type.Object({ input: Type.Unknown({ description: 'The value, or a JSON text.' }), indent: Type.Optional(Type.Integer({ minimum: 0, maximum: 10, default: 2, description: 'Spaces per level.' })) }, strict),
      effect: 'read',
      result: Type.String(),
    },
    csv_parse: {
      description: 'Reads a CSV text into a list of objects by its header, the first row; header: false gives lists. Values stay texts.',
      parameters: Type.Object(
        {
          input: text,
          delimiter: Type.Optional(Type.String({ minLength: 1, maxLength: 1, description: 'Found out by itself where it is not given.' })),
          header: Type.Optional(Type.Boolean({ default: true, description: 'Whether the first row names the columns.' })),
        },
        strict,
      ),
      effect: 'read',
      result: Type.Array(Type.Unknown()),
    },
  },
  provider: () => ({
    json_parse: ({ input }) => parseJson(String(input)),
    json_format: ({ input, indent = 2 }) => JSON.stringify(typeof input === 'string' ? parseJson(input) : input, null, indent as number),
    csv_parse: async ({ input, header, delimiter = '' }) => parseCsv(String(input), header !== false, String(delimiter)),
  }),
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch (error) {
    const at = /position (\d+)/.exec(messageOf(error))?.[1]
    const place = at === undefined ? '' : `, ${lineAndColumn(json, Number(at))}`
    throw new HaloError('TOOL_ERROR', `The text is no JSON: ${messageOf(error)}${place}`)
  }
}

function lineAndColumn(whole: string, at: number): string {
  const before = whole.slice(0, at).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

async function parseCsv(csv: string, header: boolean, delimiter: string): Promise<unknown[]> {
  const { default: Papa } = await import('papaparse')
  const { data: rows, errors } = Papa.parse<string[]>(csv.replace(/^\uFEFF/, ''), { delimiter, skipEmptyLines: true })
  const fault = errors.find(({ type }) => type === 'Quotes')
  if (fault !== undefined) throw new HaloError('TOOL_ERROR', `The text is no CSV: ${fault.message}${fault.row === undefined ? '' : `, row ${fault.row + 1}`}.`)
  if (!header) return rows
  const [names = [], ...records] = rows
  const keys = uniqueNames(names)
  return records.map((record) => keyed(keys, record))
}
