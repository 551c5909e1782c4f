import type { Input } from '@lezer/common'

/** A text as the parser's input. */
export function stringInput(text: string): Input {
  return {
    length: text.length,
    lineChunks: false,
    chunk: (from) => text.slice(from),
    read: (from, to) => text.slice(from, to),
  }
}
