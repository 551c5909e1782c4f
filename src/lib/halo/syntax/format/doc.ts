/** A small pretty printer after Wadler and Prettier: groups stand on one line where they fit, else all their lines break. */

/**
 * `breaks`: a line end is sure to be in it. `tail`: it ends with text that waits for a line end, so whatever comes after it in
 * the same group must break.
 */
interface Traits {
  breaks: boolean
  tail: boolean
}
export type Doc = Traits &
  (
    | { kind: 'text'; text: string }
    | { kind: 'concat'; parts: Doc[] }
    | { kind: 'indent'; doc: Doc }
    | { kind: 'group'; doc: Doc }
    /** A blank in a group that fits; `soft`: nothing there. `hard`: always a new line. */
    | { kind: 'line'; soft: boolean; hard: boolean }
    /** Text that waits for the end of its line: a comment. */
    | { kind: 'suffix'; text: string }
  )

const plain = { breaks: false, tail: false }
export const line: Doc = { kind: 'line', soft: false, hard: false, ...plain }
export const softline: Doc = { kind: 'line', soft: true, hard: false, ...plain }
export const hardline: Doc = { kind: 'line', soft: false, hard: true, breaks: true, tail: false }

export function text(value: string): Doc {
  return { kind: 'text', text: value, ...plain }
}
export const nothing = text('')
export const space = text(' ')

export function concat(...parts: (Doc | string)[]): Doc {
  return concatAll(parts)
}

/** The same for as many parts as there may be: a call takes only so many arguments. */
export function concatAll(parts: readonly (Doc | string)[]): Doc {
  const docs: Doc[] = []
  let [breaks, tail] = [false, false]
  for (const part of parts) {
    const doc = typeof part === 'string' ? text(part) : part
    if (isEmpty(doc)) continue
    docs.push(doc)
    breaks ||= doc.breaks || tail
    tail = doc.tail
  }
  return { kind: 'concat', parts: docs, breaks, tail }
}
function isEmpty(doc: Doc): boolean {
  return (doc.kind === 'text' && doc.text === '') || (doc.kind === 'concat' && doc.parts.length === 0)
}
export function indent(doc: Doc): Doc {
  return { kind: 'indent', doc, breaks: doc.breaks, tail: doc.tail }
}
export function group(doc: Doc, breaks = false): Doc {
  return { kind: 'group', doc, breaks: breaks || doc.breaks, tail: doc.tail }
}
export function suffix(value: string): Doc {
  return { kind: 'suffix', text: value, breaks: false, tail: true }
}

interface Command {
  indent: number
  flat: boolean
  doc: Doc
}

/** Lays a document out; no line is longer than `width` where it can be helped. */
export function render(doc: Doc, width: number): string {
  const out: string[] = []
  let column = 0
  let suffixes = ''
  const stack: Command[] = [{ indent: 0, flat: false, doc }]
  for (let command = stack.pop(); command; command = stack.pop()) {
    const { doc: current, flat } = command
    switch (current.kind) {
      case 'text': {
        out.push(current.text)
        const newline = current.text.lastIndexOf('\n')
        column = newline < 0 ? column + current.text.length : current.text.length - newline - 1
        break
      }
      case 'concat':
        for (let i = current.parts.length - 1; i >= 0; i--) {
          const part = current.parts[i]
          if (part) stack.push({ ...command, doc: part })
        }
        break
      case 'indent':
        stack.push({ ...command, indent: command.indent + 2, doc: current.doc })
        break
      case 'group': {
        const inside = { ...command, flat: !current.breaks, doc: current.doc }
        stack.push(
          inside.flat && !flat && !fits(inside, stack, width - column) ? { ...inside, flat: false } : inside,
        )
        break
      }
      case 'suffix':
        suffixes += current.text
        break
      case 'line':
        if (flat && !current.hard) {
          if (!current.soft) {
            out.push(' ')
            column++
          }
          break
        }
        trimEnd(out)
        out.push(suffixes, '\n', ' '.repeat(command.indent))
        suffixes = ''
        column = command.indent
        break
    }
  }
  trimEnd(out)
  out.push(suffixes)
  return out.join('')
}

/** Blanks at the end of a line: layout only, so never inside a text that has more in it. */
function trimEnd(out: string[]): void {
  while (/^[ \t]*$/.test(out[out.length - 1] ?? 'end')) out.pop()
}

/** Whether what follows fits up to the next line break that is sure to come. */
function fits(first: Command, rest: Command[], room: number): boolean {
  const stack = [first]
  let left = room
  let next = rest.length - 1
  while (left >= 0) {
    const command = stack.pop() ?? rest[next--]
    if (!command) return true
    const { doc, flat } = command
    switch (doc.kind) {
      case 'text': {
        const newline = doc.text.indexOf('\n')
        if (newline >= 0) return left >= newline
        left -= doc.text.length
        break
      }
      case 'concat':
        for (let i = doc.parts.length - 1; i >= 0; i--) {
          const part = doc.parts[i]
          if (part) stack.push({ ...command, doc: part })
        }
        break
      case 'indent':
        stack.push({ ...command, doc: doc.doc })
        break
      case 'group':
        stack.push({ ...command, flat: flat && !doc.breaks, doc: doc.doc })
        break
      case 'line':
        if (doc.hard || !flat) return true
        if (!doc.soft) left--
        break
      case 'suffix':
        break
    }
  }
  return false
}
