/** The sets of characters in a regular expression: as ranges for the proof, and exactly, by the engine's own word. */
import type { AST } from '@eslint-community/regexpp'

/** Thrown inside for what has no program: back references, modifiers, patterns that are too large. */
export class Unsupported extends Error {}

export interface CharacterSet {
  /** At least the code points of the set, as sorted pairs `[from, to]`; exactly them unless it has a Unicode property. */
  ranges: readonly (readonly [number, number])[]
  has(codePoint: number): boolean
}

type Range = readonly [number, number]
type Single = AST.Character | AST.CharacterSet | AST.CharacterClass

const LAST = 0x10ffff
const ANY: readonly Range[] = [[0, LAST]]
const DIGITS: readonly Range[] = [[0x30, 0x39]]
const WORDS: readonly Range[] = [[0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]
// ECMAScript WhiteSpace and LineTerminator: https://tc39.es/ecma262/#sec-white-space
const SPACES: readonly Range[] = [[0x09, 0x0d], [0x20, 0x20], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], [0x2028, 0x2029], [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000], [0xfeff, 0xfeff]]
const LINE_ENDS: readonly Range[] = [[0x0a, 0x0a], [0x0d, 0x0d], [0x2028, 0x2029]]

export function setOf(node: Single, unicode: boolean): CharacterSet {
  const ranges = rangesOf(node)
  // The engine itself says which characters are in a set, so that it is the same set.
  const exact = new RegExp(node.raw.startsWith('^') ? `\\${node.raw}` : node.raw, unicode ? 'u' : '')
  const known = new Map<number, boolean>()
  return {
    ranges,
    has(codePoint) {
      let found = known.get(codePoint)
      if (found === undefined) {
        found = exact.test(String.fromCodePoint(codePoint))
        if (known.size > 10_000) known.clear()
        known.set(codePoint, found)
      }
      return found
    },
  }
}

function rangesOf(node: Single): readonly Range[] {
  switch (node.type) {
    case 'Character': return [[node.value, node.value]]
    case 'CharacterSet': return rangesOfSet(node)
    case 'CharacterClass': {
      const parts: Range[] = []
      let exact = true
      for (const element of node.elements) {
        switch (element.type) {
          case 'Character': parts.push([element.value, element.value]); break
          case 'CharacterClassRange': parts.push([element.min.value, element.max.value]); break
          case 'CharacterSet':
            if (element.kind === 'property') exact = false
            parts.push(...rangesOfSet(element))
            break
          default: throw new Unsupported()
        }
      }
      const ranges = joined(parts)
      if (!node.negate) return ranges
      return exact ? without(ranges) : ANY
    }
  }
}

function rangesOfSet(node: AST.CharacterSet): readonly Range[] {
  switch (node.kind) {
    case 'any': return without(LINE_ENDS)
    case 'digit': return node.negate ? without(DIGITS) : DIGITS
    case 'space': return node.negate ? without(SPACES) : SPACES
    case 'word': return node.negate ? without(WORDS) : WORDS
    // Which characters have a property isn't looked up: for the proof, all.
    case 'property': return ANY
  }
}

function joined(parts: readonly Range[]): Range[] {
  const result: [number, number][] = []
  for (const [from, to] of [...parts].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1)
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else result.push([from, to])
  }
  return result
}

function without(ranges: readonly Range[]): Range[] {
  const result: Range[] = []
  let from = 0
  for (const [start, end] of joined(ranges)) {
    if (start > from) result.push([from, start - 1])
    from = end + 1
  }
  if (from <= LAST) result.push([from, LAST])
  return result
}
