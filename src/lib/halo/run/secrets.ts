/** Values of Env shorter than this are too common to be told from ordinary text. */
const SHORTEST = 8

type Env = Readonly<Record<string, string>>

interface Secrets {
  /** What is looked for, the longest first: a secret may be part of another. */
  forms: string[]
  mask(text: string): string
}

const known = new WeakMap<Env, Secrets>()

/** A value with every secret of `env` in its texts replaced by `[secret NAME]`. */
export function maskSecrets(value: unknown, env: Env | undefined): unknown {
  return env === undefined ? value : deep(value, secretsOf(env).mask)
}

/** Masks a text that comes in pieces: what could be the beginning of a secret is held back until it is known not to be. */
export interface SecretStream {
  /** What may be shown of the text so far and hasn't been; perhaps nothing yet. */
  push(piece: string): string
  /** What was held back, once nothing more comes. */
  end(): string
}

export function secretStream(env: Env | undefined): SecretStream {
  const secrets = env === undefined ? undefined : secretsOf(env)
  if (secrets === undefined || secrets.forms.length === 0) return { push: (piece) => piece, end: () => '' }
  let pending = ''
  return {
    push(piece) {
      pending += piece
      const from = doubtfulFrom(pending, secrets.forms)
      const shown = secrets.mask(pending.slice(0, from))
      pending = pending.slice(from)
      return shown
    },
    end() {
      const shown = secrets.mask(pending)
      pending = ''
      return shown
    },
  }
}

/** Where the end of a text begins that may be the first half of a secret. */
function doubtfulFrom(text: string, forms: string[]): number {
  let from = text.length
  for (const form of forms) {
    for (let at = Math.max(0, text.length - form.length + 1); at < from; at++) {
      if (form.startsWith(text.slice(at))) from = at
    }
  }
  // A secret that lies across that place must not be cut in two by it.
  for (let before = -1; before !== from; ) {
    before = from
    for (const form of forms) {
      const at = from === 0 ? -1 : text.lastIndexOf(form, from - 1)
      if (at !== -1 && at + form.length > from) from = at
    }
  }
  return from
}

function secretsOf(env: Env): Secrets {
  let secrets = known.get(env)
  if (secrets === undefined) {
    secrets = findSecrets(env)
    known.set(env, secrets)
  }
  return secrets
}

function findSecrets(env: Env): Secrets {
  const names = new Map<string, string>()
  for (const [name, secret] of Object.entries(env)) {
    if (secret.length < SHORTEST) continue
    // Also as it stands inside a JSON text (a key of several lines does) and in an address.
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]) {
      if (!names.has(form)) names.set(form, name)
    }
  }
  const sorted = [...names].sort(([a], [b]) => b.length - a.length)
  return {
    forms: sorted.map(([form]) => form),
    mask: (text) => sorted.reduce((masked, [form, name]) => (masked.includes(form) ? masked.replaceAll(form, () => `[secret ${name}]`) : masked), text),
  }
}

function deep(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((item) => deep(item, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), deep(item, mask)]))
}
