import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { postQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Confirm } from '../../../ui/dialog.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import type { CalendarEntry } from './entry.ts'

interface Props {
  entry: CalendarEntry
  onClose: () => void
}

/** Confirms publishing a post immediately. */
export default function PublishNow({ entry, onClose }: Props) {
  const t = useTranslations('composer')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const publish = useMutation({
    mutationFn: () => call('publishPost', { workspace: ws, params: { id: entry.id }, ifMatch: entry.version }),
    onSuccess: (post) => client.setQueryData(postQuery(ws, post.id).queryKey, post),
    onError: (error) => toast.error(text(error)),
    onSettled: () => {
      for (const key of ['calendar', 'posts']) void client.invalidateQueries({ queryKey: [ws, key] })
      onClose()
    },
  })
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={t('publishTitle')}
      description={t('publishBody')}
      action={t('publishNow')}
      busy={publish.isPending}
      onConfirm={() => publish.mutate()}
    />
  )
}
