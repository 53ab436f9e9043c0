import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { Message, Thread } from '../../../../src/conversations/threads/api.ts'
import { call } from '../../../client.ts'
import { Button } from '../../../ui/button.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { renewThread } from './cache.ts'
import { NoteField } from './note-field.tsx'
import { useInboxProblem } from './problem.ts'

interface Props {
  thread: Thread
  note: Message
  onClose: () => void
}

/** Edits the person's own note in place. */
export function NoteForm({ thread: { id }, note, onClose }: Props) {
  const t = useTranslations('inbox')
  const common = useTranslations('common')
  const text = useInboxProblem()
  const client = useQueryClient()
  const { ws } = usePlace()
  const change = useMutation({
    mutationFn: (body: { text: string; mentions: string[] }) =>
      call('updateNote', { workspace: ws, params: { id, noteId: note.id }, body }),
    onSettled: () => renewThread(client, ws, id),
  })
  return (
    <NoteField
      text={note.text ?? ''}
      act={t('saveNote')}
      busy={change.isPending}
      error={change.error && text(change.error)}
      refused={null}
      focuses
      onSay={async (said, mentions) => void (await change.mutateAsync({ text: said, mentions }))}
      onDone={onClose}
    >
      <Button size="sm" variant="ghost" onClick={onClose}>
        {common('cancel')}
      </Button>
    </NoteField>
  )
}
