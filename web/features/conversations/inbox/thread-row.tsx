import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { AlarmClock, ArrowUpRight, CircleCheck, ClockAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { Thread } from '../../../../src/conversations/threads/api.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { LabelChips } from '../../../ui/label-chip.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useSureness } from '../bot/degree.ts'
import { CustomerAvatar, useCustomerName } from './customer-avatar.tsx'
import { LastWords } from './last-words.tsx'
import { useShortTime, useSpan, useWait } from './times.ts'

interface Props {
  thread: Thread
  me: string | undefined
  open: boolean
  /** Whether the row takes the focus when it opens, because the keyboard moved to it. */
  focuses: boolean
  selected: boolean
  /** Absent if the person cannot act on threads. */
  onSelect: ((selected: boolean) => void) | undefined
}

/** One thread in the list: customer, waiting time, newest message, and state. */
export function ThreadRow({ thread, me, open, focuses, selected, onSelect }: Props) {
  const t = useTranslations('inbox')
  const { ws } = usePlace()
  const { unread, lastMessage } = thread
  const name = useCustomerName()(thread)
  const look = unread ? 'text-fg' : 'text-muted'
  const counted = ({ count, new: risen }: NonNullable<Thread['comments']>) =>
    risen > 0 ? t('counted.new', { count: risen }) : t('counted.all', { count })
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (!open) return
    row.current?.scrollIntoView({ block: 'nearest' })
    if (focuses) row.current?.querySelector<HTMLElement>('[data-row]')?.focus()
  }, [open, focuses])
  return (
    <li
      ref={row}
      className={clsx(
        'relative flex min-h-(--row) items-center gap-3 border-b ps-4 pe-4 py-1.5 hover:bg-hover focus-within:bg-hover',
        (open || selected) && 'bg-accent-soft!',
        open && 'before:absolute before:inset-y-0 before:start-0 before:w-0.5 before:bg-accent',
      )}
    >
      {unread && <span className="absolute start-1.5 size-1.5 rounded-full bg-accent" aria-hidden />}
      <span className="relative inline-flex shrink-0">
        <CustomerAvatar thread={thread} />
        {onSelect && (
          <label
            className={clsx(
              'absolute -inset-1.5 z-1 grid place-items-center rounded-full has-focus-visible:opacity-100 max-sm:-inset-2',
              selected ? 'bg-accent-soft' : 'bg-hover',
              !selected && 'opacity-0 hover:opacity-100 pointer-coarse:hover:opacity-0',
            )}
          >
            <input type="checkbox" checked={selected} onChange={(event) => onSelect(event.target.checked)} />
            <span className="sr-only">{t(thread.customer ? 'select' : 'counted.select', { name })}</span>
          </label>
        )}
      </span>
      <div className="min-w-0 grow">
        <div className="flex h-5 min-w-0 items-center gap-1.5">
          <Link
            to="/w/$ws/inbox"
            params={{ ws }}
            search={({ about: _, ...before }) => ({ ...before, id: thread.id })}
            aria-current={open ? 'true' : undefined}
            data-row={thread.id}
            className={clsx('clip after:absolute after:inset-0', unread ? 'font-semibold' : 'font-medium')}
          >
            <bdi>{name}</bdi>
            {unread && <span className="sr-only"> {t('unread')}</span>}
          </Link>
          {thread.kind === 'COMMENT' && thread.customer && (
            <span className="shrink-0 text-xs text-muted">{t('kinds.COMMENT')}</span>
          )}
          <Since thread={thread} />
        </div>
        <div className="flex h-5 min-w-0 items-center gap-1.5">
          {thread.comments ? (
            <span className={clsx('grow clip', look)}>{counted(thread.comments)}</span>
          ) : (
            <LastWords message={lastMessage} className={clsx('grow', look)} />
          )}
          <Standing thread={thread} me={me} />
        </div>
      </div>
    </li>
  )
}

/** How long the customer has waited; for an answered thread, the time of the last message. */
function Since({ thread }: Pick<Props, 'thread'>) {
  const t = useTranslations('inbox')
  const span = useSpan()
  const wait = useWait()(thread)
  const short = useShortTime()
  const look = 'ms-auto flex shrink-0 items-center gap-1 text-xs tabular-nums'
  if (wait)
    return (
      <span className={clsx(look, wait.late ? 'font-medium text-bad' : 'text-muted')}>
        {wait.late && <ClockAlert className="size-3.5" role="img" aria-label={t('late')} />}
        <span className="sr-only">{t('waits')}</span>
        {span(wait.waited)}
      </span>
    )
  const last = thread.lastMessage?.at ?? (thread.comments && thread.lastInAt)
  return last && <span className={clsx(look, 'text-muted')}>{short(last)}</span>
}

/** Why the bot left the newest message to people, in a few words. */
function Held({ held: { reason, confidence, threshold } }: { held: NonNullable<Thread['held']> }) {
  const t = useTranslations('why.short')
  const sureness = useSureness()
  if (reason !== 'confidence' || confidence === null || threshold === null)
    return t.has(reason as 'cap') ? t(reason as 'cap') : reason
  return sureness(confidence, threshold)
}

/** The most important state of a thread. */
function Standing({ thread, me }: Pick<Props, 'thread' | 'me'>) {
  const t = useTranslations('inbox')
  const short = useShortTime()
  const chip = 'inline-flex h-5 shrink-0 items-center gap-1 rounded-sm px-1.5 text-xs font-medium'
  if (thread.status === 'ESCALATED')
    return (
      <span className={clsx(chip, 'bg-bad-soft text-bad')}>
        <ArrowUpRight className="size-3 rtl:-scale-x-100" aria-hidden />
        {t('statuses.ESCALATED')}
      </span>
    )
  if (thread.status === 'SNOOZED' && thread.snoozedUntil)
    return (
      <span className={clsx(chip, 'bg-sunken text-muted')}>
        <AlarmClock className="size-3" aria-label={t('statuses.SNOOZED')} role="img" />
        {short(thread.snoozedUntil)}
      </span>
    )
  if (thread.status === 'CLOSED')
    return (
      <span className={clsx(chip, 'bg-sunken text-muted')}>
        <CircleCheck className="size-3" aria-hidden />
        {t('statuses.CLOSED')}
      </span>
    )
  if (thread.held)
    return (
      <span
        className={clsx(chip, 'tabular-nums', thread.held.draftId ? 'bg-hold-soft text-hold' : 'bg-sunken text-muted')}
      >
        <Held held={thread.held} />
      </span>
    )
  if (thread.labels.length > 0)
    return (
      <span className="inline-flex max-w-28 shrink-0">
        <LabelChips labels={thread.labels} max={1} />
      </span>
    )
  if (!thread.assignee) return null
  const { id, name } = thread.assignee
  const assigned = id === me ? t('assignedToYou') : t('assignedTo', { name })
  return (
    <span className="inline-flex shrink-0" title={assigned}>
      <Avatar name={name} className="size-5" />
      <span className="sr-only">{assigned}</span>
    </span>
  )
}
