import { call } from '../../client.ts'

interface UsedOption {
  generation: string
  option: number
}

/** The options used in unsaved drafts. */
const waiting = new Map<string, UsedOption[]>()

/** A draft is identified by its workspace and post; null is a new post. */
const keyOf = (ws: string, post: string | null) => `${ws} ${post}`

export function addUsedOption(ws: string, post: string | null, one: UsedOption) {
  const key = keyOf(ws, post)
  waiting.set(key, [...(waiting.get(key) ?? []).filter(({ generation }) => generation !== one.generation), one])
}

export function removeUsedOption(ws: string, post: string | null, { generation }: UsedOption) {
  const key = keyOf(ws, post)
  waiting.set(
    key,
    (waiting.get(key) ?? []).filter((one) => one.generation !== generation),
  )
}

/** Forgets the options of a discarded draft. */
export const forgetUsedOptions = (ws: string, post: string | null) => waiting.delete(keyOf(ws, post))

/** Reports which options went into a saved post. A failed report only logs a warning. */
export function reportUsedOptions(ws: string, postId: string, isNew: boolean) {
  const key = keyOf(ws, isNew ? null : postId)
  const used = waiting.get(key) ?? []
  waiting.delete(key)
  for (const { generation, option } of used)
    call('acceptGeneration', { workspace: ws, params: { id: generation }, body: { option, postId } }).catch(
      (error: unknown) => console.warn('Could not report the used AI option.', error),
    )
}
