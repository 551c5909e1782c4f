/** A folder of the disk as the File System Access interface has it, in memory. What another program does goes through `put` and `drop`. */
interface Kept {
  content: Uint8Array
  modified: number
}
const gone = (): DOMException => new DOMException('nothing there', 'NotFoundError')
const other = (): DOMException => new DOMException('not of that kind', 'TypeMismatchError')

export class Folder {
  readonly kind = 'directory'
  readonly name: string
  readonly files = new Map<string, Kept>()
  readonly folders = new Map<string, Folder>()
  /** Waited for before the next entry of a listing is given. */
  between: () => Promise<void> = () => Promise.resolve()
  #clock = { now: 1 }

  constructor(name: string, clock?: { now: number }) {
    this.name = name
    if (clock) this.#clock = clock
  }

  /** As another program writes it. */
  put(path: string, text: string): void {
    const [first = '', ...rest] = path.split('/')
    if (rest.length > 0) this.#made(first).put(rest.join('/'), text)
    else this.files.set(first, { content: new TextEncoder().encode(text), modified: this.#clock.now++ })
  }
  text(path: string): string | undefined {
    const [first = '', ...rest] = path.split('/')
    if (rest.length > 0) return this.folders.get(first)?.text(rest.join('/'))
    const kept = this.files.get(first)
    return kept && new TextDecoder().decode(kept.content)
  }
  get handle(): FileSystemDirectoryHandle {
    return this as unknown as FileSystemDirectoryHandle
  }

  async *entries(): AsyncGenerator<[string, unknown]> {
    for (const [name, folder] of [...this.folders]) yield [name, folder]
    for (const name of [...this.files.keys()]) yield [name, this.#file(name)]
    await this.between()
  }
  async getDirectoryHandle(name: string, { create = false } = {}): Promise<Folder> {
    if (this.files.has(name)) throw other()
    if (create) return this.#made(name)
    const folder = this.folders.get(name)
    if (!folder) throw gone()
    return folder
  }
  async getFileHandle(name: string, { create = false } = {}) {
    if (this.folders.has(name)) throw other()
    if (!this.files.has(name)) {
      if (!create) throw gone()
      this.put(name, '')
    }
    return this.#file(name)
  }
  async removeEntry(name: string): Promise<void> {
    if (!this.files.delete(name) && !this.folders.delete(name)) throw gone()
  }

  #made(name: string): Folder {
    const folder = this.folders.get(name) ?? new Folder(name, this.#clock)
    this.folders.set(name, folder)
    return folder
  }
  #file(name: string) {
    return {
      kind: 'file',
      name,
      getFile: async () => {
        const kept = this.files.get(name)
        if (!kept) throw gone()
        return new File([kept.content.slice()], name, { lastModified: kept.modified })
      },
      createWritable: async () => {
        const parts: Uint8Array[] = []
        return {
          write: async (part: Uint8Array) => void parts.push(part),
          close: async () => this.put(name, parts.map((part) => new TextDecoder().decode(part)).join('')),
        }
      },
    }
  }
}
