import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { OpenThread } from '../../../../src/conversations/threads/api.ts'
import { call } from '../../../client.ts'
import { toast } from '../../../toast.ts'
import { keepText, keptText } from '../../../unsent-text.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { renewThread } from './cache.ts'
import { NoteField } from './note-field.tsx'
import { useInboxProblem } from './problem.ts'

/** Writes a note that only colleagues see. */
export function NoteBox({ thread: { id }, refused }: { thread: OpenThread; refused: string | null }) {
  const t = useTranslations('inbox')
  const text = useInboxProblem()
  const client = useQueryClient()
  const { ws } = usePlace()
  const add = useMutation({
    mutationFn: (body: { text: string; mentions: string[] }) =>
      call('createNote', { workspace: ws, params: { id }, body }),
    onSuccess: () => toast.success(t('noteAdded')),
    onSettled: () => renewThread(client, ws, id),
  })
  return (
    <NoteField
      text={keptText(id, 'note')}
      act={t('addNote')}
      busy={add.isPending}
      error={add.error && text(add.error)}
      refused={refused}
      onWrite={(said) => keepText(id, 'note', said)}
      onSay={async (said, mentions) => void (await add.mutateAsync({ text: said, mentions }))}
    />
  )
}
