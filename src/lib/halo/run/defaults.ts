/** Arguments with the defaults of their JSON Schema filled in, nested objects included. The given object is not changed. */
export function applyDefaults(schema: unknown, value: unknown): unknown {
  if (!isObject(schema) || !isObject(value) || !isObject(schema.properties)) return value
  let filled = value
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!isObject(property)) continue
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    const whole = given === undefined && 'default' in property ? structuredClone(property.default) : applyDefaults(property, given)
    if (whole === given) continue
    if (filled === value) filled = { ...value }
    filled[name] = whole
  }
  return filled
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
