import { readStored, writeStored } from '../../../storage.ts'

/** The storage key of an unsent note, which this tab keeps until it is added. */
const keyOf = (threadId: string) => `parley.note.${threadId}`

export const keptNote = (threadId: string) => readStored(keyOf(threadId), 'sessionStorage') ?? ''

export const keepNote = (threadId: string, text: string) => writeStored(keyOf(threadId), text || null, 'sessionStorage')
