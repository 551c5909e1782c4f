/** Globs over `Tool.method`: `*` is any run of characters within one side; case-sensitive, the whole name, nothing else. */

export interface Glob {
  text: string
  tool: string
  method: string
}

/** A glob, or what is wrong with it. */
export function parseGlob(text: string): Glob | { fault: string } {
  const dot = text.indexOf('.')
  if (dot < 0) return { fault: `"${text}" has no dot: write Tool.method${text === '*' ? ', "*.*" for every call' : text === '' ? '' : `, "${text}.*" for all of its methods`}` }
  const tool = text.slice(0, dot)
  const method = text.slice(dot + 1)
  if (!/^[A-Za-z0-9_*]+$/.test(tool)) return { fault: `"${text}" has no tool's name before the dot` }
  if (method === '' || /[\s!?{}[\](),\\]/.test(method)) return { fault: `"${text}" has no method's name after the dot: letters and * only, no negation, no braces` }
  return { text, tool, method }
}

export function matchesGlob(glob: Glob, target: string): boolean {
  const dot = target.indexOf('.')
  return dot >= 0 && matchesSide(glob.tool, target.slice(0, dot)) && matchesSide(glob.method, target.slice(dot + 1))
}

/** Greedy with one place to come back to, the last star: enough for stars, and never more than length times length. */
export function matchesSide(pattern: string, name: string): boolean {
  let p = 0
  let n = 0
  let star = -1
  let mark = 0
  while (n < name.length) {
    if (pattern[p] === '*') {
      star = p++
      mark = n
    } else if (p < pattern.length && pattern[p] === name[n]) {
      p++
      n++
    } else if (star >= 0) {
      p = star + 1
      n = ++mark
    } else {
      return false
    }
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}
