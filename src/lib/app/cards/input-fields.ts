/** A form's fields from a JSON Schema: one per property of an object, else one for the whole value. */
export interface InputField {
  name: string
  label: string
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'json'
  options: string[]
  initial: string
  required: boolean
}
export interface InputForm {
  fields: InputField[]
  /** The one field is the answer itself, not a property of it. */
  single: boolean
}

type Schema = Record<string, unknown>
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)

export function fieldsOf(schema: unknown): InputForm {
  if (!isSchema(schema)) return { single: true, fields: [field('answer', {}, true)] }
  if (isSchema(schema.properties)) {
    const required = Array.isArray(schema.required) ? schema.required : []
    const fields = Object.entries(schema.properties).map(([name, inner]) => field(name, isSchema(inner) ? inner : {}, required.includes(name)))
    return { single: false, fields }
  }
  return { single: true, fields: [field('answer', schema, true)] }
}

function field(name: string, schema: Schema, required: boolean): InputField {
  const options = choices(schema)
  const kind = options ? 'choice' : kindOf(schema.type)
  const all = options ?? (kind === 'boolean' ? ['true', 'false'] : [])
  const given = schema.default
  const initial = given === undefined ? (all[0] ?? '') : typeof given === 'string' ? given : JSON.stringify(given)
  const label = typeof schema.title === 'string' ? schema.title : typeof schema.description === 'string' ? schema.description : name
  return { name, label, kind, options: all, initial, required }
}
function kindOf(type: unknown): InputField['kind'] {
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'boolean') return 'boolean'
  return type === 'object' || type === 'array' ? 'json' : 'text'
}
function choices(schema: Schema): string[] | undefined {
  if (Array.isArray(schema.enum) && schema.enum.every((one) => typeof one === 'string')) return schema.enum as string[]
  if (!Array.isArray(schema.anyOf)) return undefined
  const values = (schema.anyOf as unknown[]).map((one) => (isSchema(one) ? one.const : undefined))
  return values.every((one) => typeof one === 'string') ? (values as string[]) : undefined
}
