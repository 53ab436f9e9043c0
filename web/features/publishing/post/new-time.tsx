import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { postQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { ScheduleDialog } from '../composer/schedule-dialog.tsx'
import { useMoment } from '../../shell/moment.ts'
import { useMay, usePlace } from '../../shell/workspace.tsx'

/** Chooses a new time for a post whose time has passed, and schedules it. */
export default function NewTime({ post }: { post: Post }) {
  const t = useTranslations('schedule')
  const composer = useTranslations('composer')
  const text = useProblemText()
  const moment = useMoment()
  const client = useQueryClient()
  const { ws } = usePlace()
  const may = useMay('schedulePost')
  const [open, setOpen] = useState(false)
  const schedule = useMutation({
    /** null: the next free queue slot. */
    mutationFn: (at: Date | null) => {
      const of = { workspace: ws, params: { id: post.id }, ifMatch: post.version }
      return at ? call('schedulePost', { ...of, body: { scheduledAt: at.toISOString() } }) : call('queuePost', of)
    },
    onSuccess: (answer) => {
      setOpen(false)
      client.setQueryData(postQuery(ws, answer.id).queryKey, answer)
      if (answer.scheduledAt)
        toast.success(composer('scheduledFor', { time: moment(answer.scheduledAt), zone: '' }).trim())
    },
    onSettled: () => {
      for (const key of ['posts', 'calendar']) void client.invalidateQueries({ queryKey: [ws, key] })
    },
  })
  if (may.hidden) return null
  return (
    <>
      <Button size="sm" reason={may.reason} onClick={() => setOpen(true)}>
        <CalendarClock className="size-3.5" aria-hidden />
        {t('newTime')}
      </Button>
      {open && (
        <ScheduleDialog
          onClose={() => {
            setOpen(false)
            schedule.reset()
          }}
          title={t('newTime')}
          initial={null}
          busy={schedule.isPending}
          error={schedule.error ? text(schedule.error) : null}
          queued={{ accountIds: post.targets, postId: post.id }}
          onSchedule={(at) => schedule.mutate(at)}
          onQueue={() => schedule.mutate(null)}
        />
      )}
    </>
  )
}
