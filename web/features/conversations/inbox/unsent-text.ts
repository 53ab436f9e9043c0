import { readStored, writeStored } from '../../../storage.ts'

/** The storage key of an unsent reply or note, which this tab keeps until it is sent or the person signs out. */
const keyOf = (threadId: string, form: string) => `parley.${form}.${threadId}`

export const keptText = (threadId: string, form: 'reply' | 'note') =>
  readStored(keyOf(threadId, form), 'sessionStorage') ?? ''

export const keepText = (threadId: string, form: 'reply' | 'note', text: string) =>
  writeStored(keyOf(threadId, form), text || null, 'sessionStorage')
