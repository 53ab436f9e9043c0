/**
 * Returns a function that keeps the last value for each key, as long as the other parts are the same objects. A value is
 * forgotten with its key.
 */
export function memoize<F, T>(find: (from: F) => T, partsOf: (from: F) => [key: object, ...others: unknown[]]) {
  const kept = new WeakMap<object, { others: unknown[]; value: T }>()
  return (from: F): T => {
    const [key, ...others] = partsOf(from)
    const before = kept.get(key)
    if (before?.others.every((other, at) => other === others[at])) return before.value
    const value = find(from)
    kept.set(key, { others, value })
    return value
  }
}
