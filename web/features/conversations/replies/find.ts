import type { SavedReply } from '../../../../src/conversations/replies/api.ts'

/** The replies whose name or text contains the search text. Matches in the name come first. */
export function found<T extends Pick<SavedReply, 'name' | 'text'>>(replies: readonly T[], sought: string): T[] {
  const wanted = sought.trim().toLocaleLowerCase()
  const has = (text: string) => text.toLocaleLowerCase().includes(wanted)
  const named = replies.filter(({ name }) => has(name))
  return [...named, ...replies.filter((one) => !named.includes(one) && has(one.text))]
}
