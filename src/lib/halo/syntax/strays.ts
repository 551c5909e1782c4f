/** Text between declarations that is part of none. */
import type { Diagnostic } from '../errors.ts'
import { isNear } from './tokens.ts'
import { syntaxFault, textOf, type Build, type Place } from './context.ts'

const KEYWORDS = ['import', 'policy', 'tool', 'store', 'schema', 'agent', 'pipeline', 'test']

/** One fault for each run of text that the parser skipped between two declarations. */
export function strayFaults(build: Build, strays: Place[]): void {
  let last: Place | undefined
  for (const stray of strays) {
    if (
      last &&
      !/\n[ \t]*\n/.test(between(build, last, stray)) &&
      between(build, last, stray).trim() === ''
    ) {
      last = { from: last.from, to: stray.to }
      continue
    }
    if (last) build.faults.push(strayFault(build, last))
    last = stray
  }
  if (last) build.faults.push(strayFault(build, last))
}

function between(build: Build, a: Place, b: Place): string {
  return textOf(build, { from: a.to, to: Math.max(a.to, b.from) }).replace(
    /\/\*[^]*?\*\/|(?:\/\/|#)[^\n]*/g,
    '',
  )
}

/** Where a declaration should begin, something else stands. */
export function strayFault(build: Build, stray: Place): Diagnostic {
  const text = textOf(build, stray)
  const word = /^[\p{L}\p{N}_]+|^\S/u.exec(text.trimStart())?.[0] ?? ''
  const from = stray.from + text.length - text.trimStart().length
  const place = { from, to: Math.max(from + word.length, Math.min(stray.to, from + 1)) }
  if (text.startsWith('/*'))
    return syntaxFault(
      { from: stray.from, to: stray.from + 2 },
      'This comment is never closed: expected "*/"',
      build.path,
    )
  const near = KEYWORDS.find((keyword) => word !== keyword && isNear(word.toLowerCase(), keyword))
  if (near) {
    return syntaxFault(place, `Expected a declaration, found "${word}": did you mean ${near}?`, build.path, {
      title: `Write ${near}`,
      ...place,
      insert: near,
    })
  }
  return syntaxFault(
    place,
    `Expected a declaration (${KEYWORDS.slice(0, -1).join(', ')} or test), found "${word}"`,
    build.path,
  )
}
