/** Made when it is first asked for, and once; again after it failed. */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () =>
    (made ??= make().catch((thrown: unknown) => {
      made = undefined
      throw thrown
    }))
}
