/**
 * Returns the ids of the people whose name follows an @ in a text. A longer name takes precedence over a shorter one that
 * it begins with. If two people share a name, the first one is meant.
 */
export function mentionedIn(text: string, people: readonly { id: string; name: string }[]): string[] {
  let rest = text
  return people
    .filter(({ name }) => name !== '')
    .toSorted((a, b) => b.name.length - a.name.length)
    .flatMap(({ id, name }) => {
      const [before = '', ...after] = rest.split(`@${name}`)
      rest = [before, ...after].join('\n')
      return after.some((part) => !/^[\p{L}\p{N}]/u.test(part)) ? [id] : []
    })
}
