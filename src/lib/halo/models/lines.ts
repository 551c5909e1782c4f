/** Streams of lines: server-sent events, and JSON one a line. Bytes may be split anywhere, within a character too. */

export interface ServerEvent {
  event: string
  data: string
}

/** The lines of a stream, ended by LF, CR or CRLF; `ended` is false for a last line that no line end follows. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<{ line: string; ended: boolean }> {
  const reader = body.getReader()
  const decoder = new TextDecoder() // Drops a byte order mark at the start.
  let rest = ''
  let afterReturn = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      let text = done ? decoder.decode() : decoder.decode(value, { stream: true })
      // A CR ended its line at once; an LF that follows, even in the next chunk, belongs to it.
      if (afterReturn && text !== '') {
        if (text.startsWith('\n')) text = text.slice(1)
        afterReturn = false
      }
      let from = 0
      for (const end of text.matchAll(/\r\n|\n|\r/g)) {
        yield { line: rest + text.slice(from, end.index), ended: true }
        rest = ''
        from = end.index + end[0].length
      }
      afterReturn ||= text.endsWith('\r')
      rest += text.slice(from)
      if (done) break
    }
    if (rest !== '') yield { line: rest, ended: false }
  } finally {
    // Also when the reader of the lines stops early: the connection is closed then.
    await reader.cancel().catch(() => undefined)
  }
}

/** html.spec.whatwg.org/multipage/server-sent-events.html; an event that was cut off is dropped, as there. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let event = ''
  let data: string[] = []
  for await (const { line, ended } of linesOf(body)) {
    if (!ended) return
    if (line === '') {
      if (data.length > 0) yield { event: event || 'message', data: data.join('\n') }
      event = ''
      data = []
      continue
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
  }
}

/** One JSON value a line. A last line without an end counts if it is whole. @throws SyntaxError on a line that isn't JSON. */
export async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  for await (const { line, ended } of linesOf(body)) {
    if (line.trim() === '') continue
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch (error) {
      if (!ended) return
      throw error
    }
    yield value
  }
}
