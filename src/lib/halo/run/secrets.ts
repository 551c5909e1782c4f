/** Values of Env shorter than this are too common to be told from ordinary text. */
const SHORTEST = 8

const maskers = new WeakMap<object, (text: string) => string>()

/** A value with every secret of `env` in its texts replaced by `[secret NAME]`. */
export function maskSecrets(value: unknown, env: Readonly<Record<string, string>> | undefined): unknown {
  if (env === undefined) return value
  let mask = maskers.get(env)
  if (mask === undefined) {
    mask = maskerOf(env)
    maskers.set(env, mask)
  }
  return deep(value, mask)
}

function maskerOf(env: Readonly<Record<string, string>>): (text: string) => string {
  // The longest first: a secret may be part of another.
  const secrets = Object.entries(env)
    .filter(([, secret]) => secret.length >= SHORTEST)
    .sort(([, a], [, b]) => b.length - a.length)
  return (text) => secrets.reduce((masked, [name, secret]) => (masked.includes(secret) ? masked.replaceAll(secret, () => `[secret ${name}]`) : masked), text)
}

function deep(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((item) => deep(item, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), deep(item, mask)]))
}
