import { useQuery } from '@tanstack/react-query'
import { CalendarPlus } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { wallTime } from '../../../time.ts'
import { Button } from '../../../ui/button.tsx'
import { useMoment } from '../../shell/moment.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { freeSlotsQuery } from './queries.ts'

interface Props {
  queued: { accountIds: readonly string[]; postId: string | undefined } | undefined
  wall: string
  busy: boolean
  onChoose: (wall: string) => void
  onQueue: (() => void) | undefined
}

const SHOWN = 3

/** The next free slots for a post, with a button for the first. Renders nothing if the queue has no slots. */
export function FreeSlots({ queued, wall, busy, onChoose, onQueue }: Props) {
  const t = useTranslations('schedule')
  const moment = useMoment()
  const { ws, workspace } = usePlace()
  const { data: slots = [] } = useQuery({
    ...freeSlotsQuery(ws, {
      limit: SHOWN,
      accountIds: queued?.accountIds.join(','),
      postId: queued?.postId,
    }),
    enabled: queued !== undefined,
  })
  const [first] = slots
  if (!first) return null
  return (
    <div role="group" aria-label={t('freeSlots')} className="grid gap-2">
      {onQueue && (
        <Button busy={busy} onClick={onQueue} className="w-full max-sm:py-1.5 max-sm:whitespace-normal">
          <CalendarPlus className="size-4" aria-hidden />
          {t('addToQueue', { time: moment(first.at) })}
        </Button>
      )}
      <p className="text-xs font-medium text-muted">{t('freeSlots')}</p>
      <div className="flex flex-wrap gap-2">
        {slots.map(({ at }) => {
          const value = wallTime(new Date(at), workspace.timezone)
          return (
            <Button
              key={at}
              size="sm"
              onClick={() => onChoose(value)}
              aria-pressed={wall === value}
              className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
            >
              {moment(at)}
            </Button>
          )
        })}
      </div>
    </div>
  )
}
