/** Whoever wants to be told of a change. What one of them throws, or rejects with, is its own. */
export function listeners(): { subscribe(listener: () => void): () => void; tell(): void } {
  const all = new Set<{ listener: () => unknown }>()
  return {
    subscribe(listener) {
      // One of its own for each subscription: the same function may be given twice.
      const own = { listener }
      all.add(own)
      return () => void all.delete(own)
    },
    tell() {
      for (const own of [...all]) {
        if (!all.has(own)) continue
        try {
          const given = own.listener()
          if (given instanceof Promise) given.catch(() => undefined)
        } catch {
          // It must never change how a call goes.
        }
      }
    },
  }
}
