/** `Csv()`: files of delimited text, a page of rows at a time. */
import { Type } from 'typebox'
import { normalise, relative } from '../../sandbox/paths.ts'
import type { ProviderDefinition } from '../types.ts'
import { folderOf, withShownPaths, workspace, workspaceRules } from './workspace.ts'

const DEFAULT_ROWS = 100

export const csv: ProviderDefinition = {
  name: 'Csv',
  description: 'Reads CSV and TSV files of the workspace, a page of rows at a time.',
  config: Type.Object(
    { root: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })], { format: 'path', description: 'The folder, or the list of folders, outside of which nothing is seen. Default: the whole workspace.' })) },
    { additionalProperties: false },
  ),
  info: {
    read_rows: {
      description: 'Reads rows of a CSV or TSV file, keyed by its header. Says whether more follow; next is the offset to go on with. Empty lines are left out; values stay texts.',
      effect: 'read',
      parameters: Type.Object(
        {
          file: Type.String({ format: 'path', minLength: 1, description: 'The file, relative to the root.' }),
          offset: Type.Optional(Type.Integer({ minimum: 0, description: 'The first row wanted, counted from 0 after the header. Default 0.' })),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: `How many rows at most. Default ${DEFAULT_ROWS}.` })),
          has_header: Type.Optional(Type.Boolean({ description: 'Whether the first row names the columns. Default true; with false, rows are lists.' })),
          delimiter: Type.Optional(Type.String({ minLength: 1, maxLength: 1, description: 'Default: the one of comma, semicolon, tab and bar that the first row has most of.' })),
          encoding: Type.Optional(Type.String({ minLength: 1, description: 'Such as utf-8, windows-1252, utf-16le, shift_jis. Default: what a byte order mark says, else utf-8.' })),
        },
        { additionalProperties: false },
      ),
      result: Type.Object({
        file: Type.String(),
        columns: Type.Optional(Type.Array(Type.String(), { description: 'The header; a second column of one name is name_2, one without a name column_1 by its place.' })),
        rows: Type.Array(Type.Union([Type.Record(Type.String(), Type.String()), Type.Array(Type.String())])),
        has_more: Type.Boolean(),
        next: Type.Optional(Type.Integer({ description: 'The offset of what follows.' })),
        total: Type.Optional(Type.Integer({ description: 'Rows of the file, where its end was reached.' })),
        truncated: Type.Optional(Type.Object({ shown: Type.Integer(), of: Type.Integer() })),
        ragged: Type.Optional(
          Type.Array(Type.Object({ row: Type.Integer({ description: 'From 0, as offset.' }), line: Type.Integer({ description: 'Of the file, from 1.' }), fields: Type.Integer(), expected: Type.Integer() }), {
            description: 'Rows of the page with fewer or more fields than the first of the file; what lacks is left out, what is beyond is column_4 by its place.',
          }),
        ),
        delimiter: Type.String(),
        encoding: Type.String(),
      }),
    },
  },
  paths: workspace.paths,
  provider: ({ root }) => ({
    read_rows: async (args, { sandbox, signal }) => {
      const { file, offset = 0, limit = DEFAULT_ROWS, has_header = true, delimiter, encoding } = args as {
        file: string; offset?: number; limit?: number; has_header?: boolean; delimiter?: string; encoding?: string
      }
      const files = sandbox.open(workspaceRules({ root }))
      const home = await files.realpath(folderOf(root))
      const at = normalise(file, home)
      const { readRows } = await import('./csv-rows.ts')
      return withShownPaths(
        (path) => relative(home, path),
        async () => readRows(await files.read(at), relative(home, at), { offset, limit, header: has_header, delimiter, encoding, signal }),
      )
    },
  }),
}
