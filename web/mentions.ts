interface Named {
  id: string
  name: string
}

/**
 * Returns the ids of the people whose name follows an @ in a text. A longer name takes precedence over a shorter one that
 * it begins with. A name means every person picked by it; if nobody was picked, it means the first of `others`.
 */
export function mentionedIn(text: string, picked: readonly Named[], others: readonly Named[] = []): string[] {
  const names = [...new Set([...picked, ...others].map(({ name }) => name))].filter((name) => name !== '')
  if (names.length === 0) return []
  const any = names
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
    .join('|')
  // The end is part of the pattern, so that a text that only begins with a longer name can still match a shorter one.
  const found = text.matchAll(new RegExp(String.raw`@(${any})(?![\p{L}\p{N}\p{M}])`, 'gu'))
  return [...new Set(Array.from(found, ([, name]) => name))].flatMap((name) => {
    const meant = picked.filter((person) => person.name === name)
    return (meant.length > 0 ? meant : others.filter((person) => person.name === name).slice(0, 1)).map(({ id }) => id)
  })
}
