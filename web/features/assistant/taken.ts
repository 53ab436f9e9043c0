import { call } from '../../client.ts'

interface Taken {
  generation: string
  option: number
}

/** The options that were used in unsaved drafts. */
const waiting = new Map<string, Taken[]>()

/** A draft is of a post in a workspace; the one of a new post by null. */
const keyOf = (ws: string, post: string | null) => `${ws} ${post}`

export function take(ws: string, post: string | null, one: Taken) {
  const key = keyOf(ws, post)
  waiting.set(key, [...(waiting.get(key) ?? []).filter(({ generation }) => generation !== one.generation), one])
}

export function untake(ws: string, post: string | null, { generation }: Taken) {
  const key = keyOf(ws, post)
  waiting.set(
    key,
    (waiting.get(key) ?? []).filter((one) => one.generation !== generation),
  )
}

/** The draft is gone, and the used options with it. */
export const forget = (ws: string, post: string | null) => waiting.delete(keyOf(ws, post))

/** A post is saved: tells which options went into it. What cannot be told is no reason to hold anybody up. */
export function settle(ws: string, postId: string, isNew: boolean) {
  const key = keyOf(ws, isNew ? null : postId)
  const taken = waiting.get(key) ?? []
  waiting.delete(key)
  for (const { generation, option } of taken)
    call('acceptGeneration', { workspace: ws, params: { id: generation }, body: { option, postId } }).catch(
      (error: unknown) => console.warn('What was taken from the AI could not be told.', error),
    )
}
