/** Gives the person a file. `name`: any text; `ending` with its dot. Gives the name it got. */
export function saveAs(content: Blob, name: string, ending: string, otherwise: string): string {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = `${name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+|-+$/g, '') || otherwise}${ending}`
  link.click()
  // The download has begun by then, in every browser.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
  return link.download
}
