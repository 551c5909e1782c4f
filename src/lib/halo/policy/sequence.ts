/** Work that is done at once where it can be, and waits only where something in it has to. */

export type Maybe<T> = T | Promise<T>

export function isPromise<T>(value: Maybe<T>): value is Promise<T> {
  return value instanceof Promise
}

export function andThen<T, U>(value: Maybe<T>, next: (value: T) => Maybe<U>): Maybe<U> {
  return isPromise(value) ? value.then(next) : next(value)
}

/** The first result that isn't undefined, one item after the other. */
export function firstOf<T, R>(items: readonly T[], find: (item: T) => Maybe<R | undefined>, from = 0): Maybe<R | undefined> {
  for (let i = from; i < items.length; i++) {
    const found = find(items[i] as T)
    if (isPromise(found)) return found.then((result) => (result !== undefined ? result : firstOf(items, find, i + 1)))
    if (found !== undefined) return found
  }
  return undefined
}

/** Each item changes the value in turn. */
export function through<T, V>(items: readonly T[], value: V, change: (value: V, item: T) => Maybe<V>, from = 0): Maybe<V> {
  let current = value
  for (let i = from; i < items.length; i++) {
    const changed = change(current, items[i] as T)
    if (isPromise(changed)) return changed.then((result) => through(items, result, change, i + 1))
    current = changed
  }
  return current
}
