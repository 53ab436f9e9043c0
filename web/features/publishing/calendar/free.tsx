import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Plus } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import { dateIn, wallTime } from '../../../time.ts'
import { freeSlotsQuery } from '../queue/queries.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'

/** The free slots of a period by date, for people who may write. Slots at the same time count once. */
export function useFreeSlots(from: string, to: string): Map<string, Date[]> {
  const { ws, workspace, membership } = usePlace()
  const writes = !refusal(membership, 'createPost') && !refusal(membership, 'listFreeSlots')
  const { data = [] } = useQuery({ ...freeSlotsQuery(ws, { from, to }), enabled: writes })
  const days = new Map<string, Date[]>()
  for (const at of new Set(data.map((slot) => slot.at))) {
    const date = dateIn(new Date(at), workspace.timezone)
    days.set(date, [...(days.get(date) ?? []), new Date(at)])
  }
  return days
}

/** An unobtrusive link that creates a post in a free slot. */
export function FreePlace({ at, roomy = false }: { at: Date; roomy?: boolean }) {
  const t = useTranslations('calendar')
  const format = useFormatter()
  const { ws, workspace } = usePlace()
  const zone = workspace.timezone
  const time = format.dateTime(at, { hour: 'numeric', minute: '2-digit', timeZone: zone })
  return (
    <Link
      to="/w/$ws/compose"
      params={{ ws }}
      search={{ at: wallTime(at, zone) }}
      draggable={false}
      data-free={wallTime(at, zone)}
      aria-label={t('freeSlot', {
        time: format.dateTime(at, { dateStyle: 'full', timeStyle: 'short', timeZone: zone }),
      })}
      className={clsx(
        'flex min-h-6 items-center gap-1.5 rounded-[5px] border border-dashed px-1.5 text-xs text-muted tabular-nums hover:bg-hover hover:text-fg',
        roomy && 'max-sm:min-h-11 max-sm:px-3 pointer-coarse:min-h-11',
      )}
    >
      <Plus className="size-3 shrink-0" aria-hidden />
      <bdi>{time}</bdi>
    </Link>
  )
}
