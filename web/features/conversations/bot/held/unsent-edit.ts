import { onForget, readStored, writeStored } from '../../../../storage.ts'

/** The text to which a person has changed a draft reply, and which is not sent yet. */
export interface UnsentEdit {
  draftId: string
  /** The message that the draft answers. */
  messageId: string
  text: string
  privately: boolean
}

const keyOf = (threadId: string) => `parley.edit.${threadId}`
/** What was read or written, which also holds where storage is blocked. */
const known = new Map<string, UnsentEdit | null>()
onForget(() => known.clear())

function stored(threadId: string): UnsentEdit | null {
  const text = readStored(keyOf(threadId), 'sessionStorage')
  return text ? (JSON.parse(text) as UnsentEdit) : null
}

/** The unsent edit in a thread, which this tab keeps even if its draft is gone. */
export function unsentEdit(threadId: string): UnsentEdit | null {
  const edit = known.get(threadId)
  return edit === undefined ? stored(threadId) : edit
}

export function keepEdit(threadId: string, edit: UnsentEdit | null): void {
  known.set(threadId, edit)
  writeStored(keyOf(threadId), edit && JSON.stringify(edit), 'sessionStorage')
}
