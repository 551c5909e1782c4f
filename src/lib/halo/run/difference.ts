/** Where two requests part, in words: for a replay that isn't what was recorded. */

const SHOWN = 80

/** `messages[0].content: "…old…" was recorded, "…new…" is asked for`; undefined where they are the same. */
export function differenceText(recorded: unknown, actual: unknown): string | undefined {
  const found = firstDifference(recorded, actual, '')
  if (found === undefined) return undefined
  const [was, is] = typeof found.recorded === 'string' && typeof found.actual === 'string' ? around(found.recorded, found.actual) : [brief(found.recorded), brief(found.actual)]
  return `${found.at === '' ? '' : `${found.at}: `}${was} was recorded, ${is} is asked for`
}

interface Found {
  at: string
  recorded: unknown
  actual: unknown
}

function firstDifference(recorded: unknown, actual: unknown, at: string): Found | undefined {
  if (recorded === actual) return undefined
  if (!isContainer(recorded) || !isContainer(actual) || Array.isArray(recorded) !== Array.isArray(actual)) return { at, recorded, actual }
  const keys = new Set([...Object.keys(recorded), ...Object.keys(actual)])
  for (const key of keys) {
    const place = Array.isArray(recorded) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`
    const found = firstDifference(fieldOf(recorded, key), fieldOf(actual, key), place)
    if (found !== undefined) return found
  }
  return undefined
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function fieldOf(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

/** Of two texts the part around where they begin to differ. */
function around(a: string, b: string): [string, string] {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at++
  const from = Math.max(0, at - 20)
  const part = (text: string): string => {
    const shown = text.slice(from, from + SHOWN)
    return JSON.stringify(`${from === 0 ? '' : '…'}${shown}${from + SHOWN < text.length ? '…' : ''}`)
  }
  return [part(a), part(b)]
}

export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}
