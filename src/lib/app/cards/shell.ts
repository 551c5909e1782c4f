/**
 * A shell command in parts, for reading: one line per simple command, with what joins it to the one before. It is a reading
 * aid, not a judge: policies see the text itself, and the sandbox the resolved words.
 */
export interface ShellToken {
  text: string
  kind: 'command' | 'word' | 'quoted' | 'expansion' | 'redirect' | 'assignment'
}
export interface ShellLine {
  /** `|`, `&&`, `||`, `;`, `&`; empty for the first. */
  joint: string
  tokens: ShellToken[]
}

const JOINTS = ['&&', '||', '|&', ';;', '|', ';', '&', '\n']
const REDIRECT = /^(?:\d*|&)(?:>>|>\||>&|>|<<<|<<-?|<>|<&|<)/

export function shellLines(command: string): ShellLine[] {
  const lines: ShellLine[] = []
  let line: ShellLine = { joint: '', tokens: [] }
  let at = 0
  let redirected = false
  const close = (joint: string) => {
    if (line.tokens.length > 0) lines.push(line)
    line = { joint: line.tokens.length > 0 || lines.length > 0 ? joint : '', tokens: [] }
  }
  while (at < command.length) {
    const rest = command.slice(at)
    const space = /^(?:[ \t\r]|\\\n)+/.exec(rest)
    if (space) {
      at += space[0].length
      continue
    }
    if (rest.startsWith('#')) {
      const end = rest.indexOf('\n')
      at += end < 0 ? rest.length : end
      continue
    }
    const redirect = REDIRECT.exec(rest)
    if (redirect) {
      line.tokens.push({ text: redirect[0], kind: 'redirect' })
      at += redirect[0].length
      redirected = true
      continue
    }
    const joint = JOINTS.find((j) => rest.startsWith(j))
    if (joint) {
      close(joint === '\n' ? ';' : joint)
      at += joint.length
      continue
    }
    if (rest[0] === '(' || rest[0] === ')') {
      line.tokens.push({ text: rest[0], kind: 'word' })
      at++
      continue
    }
    const length = wordLength(rest)
    line.tokens.push({ text: rest.slice(0, length), kind: kindOf(rest.slice(0, length), line, redirected) })
    redirected = false
    at += length
  }
  close('')
  return lines
}

function kindOf(word: string, line: ShellLine, redirected: boolean): ShellToken['kind'] {
  if (redirected) return 'redirect'
  if (/\$\(|`|\$\{|\$[A-Za-z_?@*#!0-9]/.test(word) && !/^'[^']*'$/.test(word)) return 'expansion'
  const started = line.tokens.some((t) => t.kind === 'command' || t.kind === 'expansion')
  if (!started && /^[A-Za-z_]\w*=/.test(word)) return 'assignment'
  if (!started) return 'command'
  return /["']/.test(word) ? 'quoted' : 'word'
}

/** Length of the word at the start of `text`: quotes, escapes and substitutions belong to it. */
function wordLength(text: string): number {
  let at = 0
  while (at < text.length) {
    const char = text[at] as string
    if (char === '\\') at += 2
    else if (char === "'") at = end(text, at + 1, "'")
    else if (char === '"') at = quoteEnd(text, at + 1)
    else if (char === '`') at = end(text, at + 1, '`')
    else if (text.startsWith('$(', at)) at = parenEnd(text, at + 2)
    else if (text.startsWith('${', at)) at = end(text, at + 2, '}')
    else if (/[\s;|&()<>]/.test(char)) break
    else at++
  }
  return Math.max(1, Math.min(at, text.length))
}
function end(text: string, from: number, close: string): number {
  const found = text.indexOf(close, from)
  return found < 0 ? text.length : found + 1
}
function quoteEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') {
    if (text[at] === '\\') at += 2
    else if (text.startsWith('$(', at)) at = parenEnd(text, at + 2)
    else at++
  }
  return at + 1
}
function parenEnd(text: string, from: number): number {
  let depth = 1
  let at = from
  while (at < text.length && depth > 0) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === "'") at = end(text, at + 1, "'") - 1
    else if (char === '(') depth++
    else if (char === ')') depth--
    at++
  }
  return at
}
