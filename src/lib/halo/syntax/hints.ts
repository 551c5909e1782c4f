/** What people write out of habit from other languages, and what Halo has for it. */
import type { Diagnostic } from '../errors.ts'
import { syntaxFault, textOf, type Build, type Place } from './context.ts'
import type { Cst } from './cst.ts'
import { fitsExpression, fitsOperator } from './expected.ts'

/** A place where the parser stopped. */
export interface Situation {
  build: Build
  /** From the declaration down. */
  parents: Cst[]
  previousEnd: number
  expected: ReadonlySet<string>
  /** The token found there; empty at the end of the text. */
  found: string
  place: Place
}

const WORD_OPERATORS: Record<string, string> = { and: '&&', or: '||', is: '==', not: '!', mod: '%' }
const STATEMENTS = new Set([
  'if',
  'for',
  'while',
  'return',
  'let',
  'const',
  'var',
  'function',
  'def',
  'await',
  'async',
  'then',
])

export function hintFor(situation: Situation): Diagnostic | undefined {
  for (const rule of RULES) {
    const found = rule(situation)
    if (found) return found
  }
  return undefined
}

type HintRule = (situation: Situation) => Diagnostic | undefined

function report(
  { build, place }: Situation,
  message: string,
  insert?: string,
  at: Place = place,
): Diagnostic {
  const title =
    insert === undefined
      ? ''
      : insert === ''
        ? 'Remove it'
        : at.from === at.to
          ? `Add ${insert}`
          : `Write ${insert.trim()}`
  return syntaxFault(
    place,
    message,
    build.path,
    insert === undefined ? undefined : { title, from: at.from, to: at.to, insert },
  )
}

const RULES: HintRule[] = [
  (s) => (s.found === ';' ? report(s, 'Nothing ends with ";" here: leave it out', '') : undefined),

  (s) => {
    if (s.found !== '===' && s.found !== '!==' && !(s.found === '=' && /[=!]=$/.test(before(s, 2))))
      return undefined
    const place = s.found === '=' ? { from: s.place.from, to: s.place.to } : s.place
    return report(
      s,
      '== and != are strict already: write them with two characters',
      s.found === '=' ? '' : s.found.slice(0, 2),
      place,
    )
  },

  (s) => {
    if (s.found !== '=') return undefined
    if (s.expected.has(':') && s.parents.some((parent) => parent.name === 'ArgList')) {
      return report(
        s,
        'Expected ":", found "=": a named argument is `name: value`; to compare, write ==',
        ':',
      )
    }
    if (s.expected.has(':')) return report(s, 'Expected ":", found "="', ':')
    if (!fitsOperator(s.expected)) return undefined
    return report(
      s,
      'Expected an operator, found "=": to compare, write ==; nothing is assigned in an expression',
      '==',
    )
  },
  (s) => {
    if (s.found !== '>' || before(s, 1) !== '-' || !fitsExpression(s.expected)) return undefined
    return report(
      { ...s, place: { from: s.place.from - 1, to: s.place.to } },
      'Expected a stage ("|>" …), found "->"',
      '|>',
    )
  },
  (s) => {
    if (s.found !== '{' || before(s, 1) !== '{' || s.parents.some((parent) => parent.name === 'String'))
      return undefined
    return report(
      { ...s, place: { from: s.place.from - 1, to: s.place.to } },
      'This is an expression already: {{ }} stands in texts only',
    )
  },
  (s) => (s.found === '/*' ? report(s, 'This comment is never closed: expected "*/"') : undefined),

  (s) =>
    s.expected.has('=>') && (s.found === '->' || s.found === ':')
      ? report(s, `Expected "=>", found "${s.found}"`, '=>')
      : undefined,
  (s) =>
    s.expected.has('->') && s.found === '=>'
      ? report(s, 'Expected "->" before the type that comes out, found "=>"', '->')
      : undefined,
  (s) => {
    if (s.found !== 'if' || !s.expected.has('=>')) return undefined
    return report(
      s,
      'Expected "=>", found "if": arms are tried in order, so the next one is `condition => stage`; `else =>` comes last',
    )
  },

  (s) => {
    if (s.found !== '|' && s.found !== '>') return undefined
    if (!s.expected.has('|>') || (s.found === '>' && !/\|\s*$/.test(before(s, 3)))) return undefined
    if (s.found === '|')
      return report(
        s,
        `Expected "|>"${fitsOperator(s.expected) ? ' (or "||" between conditions)' : ''}, found "|"`,
        '|>',
      )
    return undefined
  },
  (s) => {
    if ((s.found !== '->' && s.found !== '=>') || !s.expected.has('|>')) return undefined
    return report(s, `Expected a stage ("|>" …), found "${s.found}"`, '|>')
  },
  (s) =>
    s.found === '&' && fitsOperator(s.expected) ? report(s, 'Expected "&&", found "&"', '&&') : undefined,
  (s) => {
    const operator = Object.hasOwn(WORD_OPERATORS, s.found) ? WORD_OPERATORS[s.found] : undefined
    if (operator === undefined || (!fitsOperator(s.expected) && !fitsExpression(s.expected))) return undefined
    return report(s, `Expected an operator, found "${s.found}": write ${operator}`, operator)
  },
  (s) => {
    if (!/^(?:\+\+|--|\+=|-=|\*=|:=)/.test(after(s, 2))) return undefined
    return report(s, 'Nothing is assigned or counted up in an expression')
  },

  (s) => {
    const at =
      s.found === '.'
        ? /^\.\d/.test(after(s, 2)) || /\d$/.test(before(s, 1))
        : /\d\.$/.test(before(s, 2)) && s.expected.has('name')
    return at ? report(s, 'A number has digits on both sides of its point: 0.5, 5.0') : undefined
  },
  (s) => {
    if (!/^[A-Za-z_]/.test(s.found) || s.previousEnd !== s.place.from || !/\d$/.test(before(s, 1)))
      return undefined
    return report(s, 'This is no number: write 1_000, 1e6 or 30s')
  },

  (s) => {
    if (!s.expected.has(',') || !/^["'\p{L}\d_[{(]/u.test(s.found) || STATEMENTS.has(s.found))
      return undefined
    const closer = [')', ']', '}'].find((c) => s.expected.has(c))
    if (closer === undefined) return undefined
    return report(
      s,
      `Expected "," or "${closer}", found ${s.found === '"' ? 'a string' : `"${s.found}"`}`,
      ',',
      { from: s.previousEnd, to: s.previousEnd },
    )
  },
  (s) => {
    if (!s.expected.has(':') || s.expected.has(',') || s.found === '') return undefined
    if (!/^["'\p{L}\d_|~[{(]/u.test(s.found)) return undefined
    return report(s, `Expected ":", found ${s.found === '"' ? 'a string' : `"${s.found}"`}`, ':', {
      from: s.previousEnd,
      to: s.previousEnd,
    })
  },

  (s) => {
    if (![')', ']', '}'].includes(s.found) || fitsExpression(s.expected)) return undefined
    const closer = [')', ']', '}'].find((c) => s.expected.has(c))
    if (closer !== undefined) return report(s, `Expected "${closer}" before this "${s.found}"`)
    return s.expected.has('agent') ? report(s, `This "${s.found}" closes nothing`, '') : undefined
  },
  (s) => {
    if (!STATEMENTS.has(s.found) || s.expected.size === 0) return undefined
    return report(
      s,
      `"${s.found}" is no word of Halo: branches are |? { condition => stage }, loops |<> loop(…), lists |* each`,
    )
  },
]

function before({ build, place }: Situation, count: number): string {
  return textOf(build, { from: Math.max(build.offset, place.from - count), to: place.from })
}
function after({ build, place }: Situation, count: number): string {
  return textOf(build, { from: place.from, to: place.from + count })
}
