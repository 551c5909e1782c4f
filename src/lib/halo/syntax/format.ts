/** Lays a file out anew. */
export function format(source: string): string {
  return source
}
