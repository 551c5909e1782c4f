/** A """ that nothing closes runs to the end of the file: all declarations after it would be hidden by it. */
import type { Diagnostic } from '../errors.ts'
import { syntaxFault } from './context.ts'
import { haloParser } from './parser.ts'

const HEAD = /^(?:(?:policy|tool|store)[ \t]+\w+\s*:|schema[ \t]+\w+\s*\{|agent[ \t]+\w+\s*\[|pipeline[ \t]+\w+\s*[(:-]|(?:import|test)[ \t]+")/m

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
    faults: [syntaxFault({ from: start, to: start + 3 }, 'This string isn\'t closed: expected """ before the end of the file', path)],
  }
}

function openStringStart(source: string): number {
  for (let node = haloParser.parse(source).resolveInner(source.length, -1); ; ) {
    const text = source.slice(node.from, node.from + 3)
    const end = source.slice(node.to - 3, node.to)
    if (node.name === 'String' && text === '"""' && (end !== '"""' || node.to - node.from < 6)) return node.from
    if (!node.parent) return -1
    node = node.parent
  }
}
