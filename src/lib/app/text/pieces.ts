/**
 * Cuts Markdown that grows at its end into pieces that read alone, so that only the last one has to be made anew. A cut is
 * made before a paragraph or heading that begins a line of its own after a blank one; where none comes for long (a table, a
 * listing, one endless line), in the midst of it, and a listing is then closed and opened again. References to link
 * definitions in another piece stay as they are written.
 */
const LEAST = 4000
const MOST = 12_000

interface Fence {
  mark: string
  /** Its opening line. */
  line: string
}

export interface Pieces {
  /** Never change again. */
  done: readonly string[]
  /** May grow. */
  rest: string
}

/** Call it with the text so far; one that doesn't begin with the text before starts from nothing. */
export function cutter(): (text: string) => Pieces {
  let before = ''
  let done: string[] = []
  /** Where the piece under way begins, and the line that is looked at next. */
  let from = 0
  let at = 0
  let blank = false
  let fence: Fence | undefined
  /** What a piece has to begin with, to go on with a listing. */
  let opening = ''

  function cut(text: string, to: number): void {
    const piece = opening + text.slice(from, to)
    done.push(fence ? `${piece.replace(/\n?$/, '\n')}${fence.mark}` : piece)
    opening = fence ? `${fence.line}\n` : ''
    from = at = to
  }

  return (text) => {
    if (!text.startsWith(before)) {
      done = []
      from = at = 0
      blank = false
      fence = undefined
      opening = ''
    }
    before = text
    for (;;) {
      const end = text.indexOf('\n', at)
      if (end < 0) {
        if (text.length - from <= MOST) break
        cut(text, at > from ? at : endOfPart(text, from))
        continue
      }
      const line = text.slice(at, Math.min(end, at + 200))
      const length = at - from
      if (length > 0 && (length + (end - at) > MOST || (length >= LEAST && blank && !fence && beginsAlone(line)))) cut(text, at)
      if (end - from > MOST) {
        cut(text, endOfPart(text, from))
        continue
      }
      fence = fenceAfter(fence, line)
      blank = line.trim() === ''
      at = end + 1
    }
    return { done, rest: opening + text.slice(from) }
  }
}

/** Not indented and no list's item: what stands before it doesn't go on in it. */
const beginsAlone = (line: string): boolean => /^\S/.test(line) && !/^(?:[-*+]|\d+[.)])(?:\s|$)/.test(line)

function fenceAfter(open: Fence | undefined, line: string): Fence | undefined {
  const found = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line)
  const [, mark = '', info = ''] = found ?? []
  if (!open) return mark !== '' && !(mark.startsWith('`') && info.includes('`')) ? { mark, line } : undefined
  return mark.startsWith(open.mark) && info.trim() === '' ? undefined : open
}

/** After a blank if there is one near, and never within a character. */
function endOfPart(text: string, from: number): number {
  const most = from + MOST
  const space = text.lastIndexOf(' ', most)
  if (space > most - 500) return space + 1
  return /[\uD800-\uDBFF]/.test(text[most - 1] ?? '') ? most - 1 : most
}
