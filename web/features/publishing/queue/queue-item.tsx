import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarPlus } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { call, isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { postQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { MenuItem } from '../../../ui/menu.tsx'
import { useMoment } from '../../shell/moment.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { endOfRequest } from '../approvals/states.ts'
import { freeSlotsQuery } from './queries.ts'

/** The menu item that queues a saved post, with the slot that it would get. */
export default function QueueItem({ post }: { post: Post }) {
  const t = useTranslations('schedule')
  const approvals = useTranslations('approvals')
  const text = useProblemText()
  const moment = useMoment()
  const client = useQueryClient()
  const { ws } = usePlace()
  const { data } = useQuery(freeSlotsQuery(ws, { limit: 1, accountIds: post.targets.join(','), postId: post.id }))
  const queue = useMutation({
    mutationFn: ({ id, version }: Post) => call('queuePost', { workspace: ws, params: { id }, ifMatch: version }),
    onSuccess: (answer, before) => {
      client.setQueryData(postQuery(ws, answer.id).queryKey, answer)
      for (const key of ['posts', 'calendar']) void client.invalidateQueries({ queryKey: [ws, key] })
      if (answer.status === 'DRAFT') toast.message(approvals('takenBack'))
      else if (answer.scheduledAt) {
        const end = endOfRequest(before, answer)
        toast.success(t('queuedFor', { time: moment(answer.scheduledAt) }), {
          description: end ? approvals(end) : undefined,
        })
      }
    },
    onError: (error) => {
      toast.error(text(error))
      if (isProblem(error) && (error.status === 409 || error.status === 412))
        void client.invalidateQueries({ queryKey: postQuery(ws, post.id).queryKey })
    },
  })
  const first = data?.[0]
  if (!first || first.at === post.scheduledAt) return null
  return (
    <MenuItem onSelect={() => queue.mutate(post)}>
      <CalendarPlus className="size-4 shrink-0" aria-hidden />
      {t('addToQueue', { time: moment(first.at) })}
    </MenuItem>
  )
}
