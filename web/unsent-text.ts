import { readStored, writeStored } from './storage.ts'

/** A note in a conversation; a comment on a post, and the ids of the people that it mentions. */
type Form = 'note' | 'comment' | 'mentions'

/** The storage key of an unsent text, which this tab keeps until it is sent or the tab is closed. */
const keyOf = (id: string, form: Form) => `parley.${form}.${id}`

export const keptText = (id: string, form: Form) => readStored(keyOf(id, form), 'sessionStorage') ?? ''

export const keepText = (id: string, form: Form, text: string) =>
  writeStored(keyOf(id, form), text || null, 'sessionStorage')
