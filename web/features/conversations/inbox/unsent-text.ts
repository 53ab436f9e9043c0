import { read, write } from '../../../storage.ts'

/** The storage key of an unsent reply or note, which this tab keeps until it is sent or the person signs out. */
const keyOf = (threadId: string, form: string) => `parley.${form}.${threadId}`

export const keptText = (threadId: string, form: 'reply' | 'note') =>
  read(keyOf(threadId, form), 'sessionStorage') ?? ''

export const keepText = (threadId: string, form: 'reply' | 'note', text: string) =>
  write(keyOf(threadId, form), text || null, 'sessionStorage')
