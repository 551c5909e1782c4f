/** A tab of the editor: a file of the project, a file of the workspace, or what a run changed in one. */
export type Doc = { kind: 'project' | 'file' | 'diff'; path: string }
export const sameDoc = (a: Doc, b: Doc): boolean => a.kind === b.kind && a.path === b.path

/** Workspace files and diffs that are open beside the project's own files. */
export class Documents {
  #extra = $state.raw<Doc[]>([])
  #shown = $state.raw<Doc | undefined>()

  get extra(): readonly Doc[] {
    return this.#extra
  }
  /** undefined: the project's active file. */
  get shown(): Doc | undefined {
    return this.#shown
  }
  open(doc: Doc): void {
    if (doc.kind === 'project') {
      this.#shown = undefined
      return
    }
    if (!this.#extra.some((one) => sameDoc(one, doc))) this.#extra = [...this.#extra, doc]
    this.#shown = doc
  }
  close(doc: Doc): void {
    this.#extra = this.#extra.filter((one) => !sameDoc(one, doc))
    if (this.#shown && sameDoc(this.#shown, doc)) this.#shown = this.#extra.at(-1)
  }
  clear(): void {
    this.#extra = []
    this.#shown = undefined
  }
}
