/** A """ that nothing closes runs to the end of the file: all declarations after it would be hidden by it. */
import type { Diagnostic } from '../errors.ts'
import { syntaxFault } from './context.ts'
import { haloParser } from './parser.ts'

const HEAD =
  /^(?:(?:policy|tool|store)[ \t]+\w+\s*:|schema[ \t]+\w+\s*\{|agent[ \t]+\w+\s*\[|pipeline[ \t]+\w+\s*[(:-]|(?:import|test)[ \t]+")/m

/**
 * The text with an unclosed triple-quoted string ended before the next declaration, all else at its place, and the fault.
 * An odd number of """ is the sign; which one is left open is what the parser says.
 */
export function withoutOpenStrings(source: string, path?: string): { text: string; faults: Diagnostic[] } {
  if ((source.split('"""').length - 1) % 2 === 0) return { text: source, faults: [] }
  const start = openStringStart(source)
  if (start < 0) return { text: source, faults: [] }
  const head = HEAD.exec(source.slice(start))
  const end = head ? start + head.index : source.length
  const blank = source.slice(start + 2, end).replace(/[^\n\r]/g, ' ')
  return {
    text: source.slice(0, start) + '""' + blank + source.slice(end),
    faults: [
      syntaxFault(
        { from: start, to: start + 3 },
        'This string isn\'t closed: expected """ before the end of the file',
        path,
      ),
    ],
  }
}

/** Of the triple-quoted strings the first that has a declaration's head in it, else the one that runs to the end. */
function openStringStart(source: string): number {
  let [suspect, last] = [-1, -1]
  haloParser.parse(source).iterate({
    enter({ name, from, to }) {
      if (suspect >= 0) return false
      if (name !== 'String' || !source.startsWith('"""', from)) return true
      if (HEAD.test(source.slice(from, to))) suspect = from
      if (to === source.length && (to - from < 6 || !source.endsWith('"""'))) last = from
      return true
    },
  })
  return suspect >= 0 ? suspect : last
}
