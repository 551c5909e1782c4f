import type { Editor } from './setup.ts'

/** The editor that is on screen, and the place in it: where the cursor is, and where someone wants to be taken. */
export class Place {
  #editor: Editor | undefined
  #wanted: { from: number; to: number } | undefined
  #cursor = $state.raw<{ file: string; at: number }>()

  /** Where the cursor was last, in which file. */
  get cursor(): { file: string; at: number } | undefined {
    return this.#cursor
  }
  at(file: string, at: number): void {
    this.#cursor = { file, at }
  }
  ready(editor: Editor): void {
    this.#editor = editor
    if (this.#wanted) editor.reveal(this.#wanted.from, this.#wanted.to)
    this.#wanted = undefined
  }
  /** `later`: in the editor that comes next, since the one on screen shows something else. */
  go(from: number, to: number, later: boolean): void {
    if (later) this.#wanted = { from, to }
    else this.#editor?.reveal(from, to)
  }
}
