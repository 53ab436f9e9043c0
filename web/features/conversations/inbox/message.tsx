import { clsx } from 'clsx'
import { Bot, CornerDownLeft, Ellipsis, Eye, EyeOff, LockKeyhole, Pencil, StickyNote, Trash2 } from 'lucide-react'
import { Suspense, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useFormatter, useTranslations } from 'use-intl'
import { useQuery } from '@tanstack/react-query'
import type { Message, Thread } from '../../../../src/conversations/threads/api.ts'
import { isOpenComment } from '../../../../src/conversations/threads/rules.ts'
import { NETWORKS } from '../../../labels.ts'
import { meQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { lazy } from '../../../ui/part.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { DeliveryLine } from './delivery-line.tsx'
import { partsOf } from './links.ts'
import { NoteForm } from './note-form.tsx'
import { useRemoveNote } from './remove-note.ts'
import { useMessageActs } from './use-message-acts.ts'
import { DAY_TIME } from '../../../time.ts'

const Attachments = lazy(async () => ({ default: (await import('./attachments.tsx')).Attachments }))
const WhyDialog = lazy(() => import('../bot/why/why-dialog.tsx'))

interface Props {
  thread: Thread
  message: Message
  /** The comment that it answers, if that is also visible. */
  parent: Message | undefined
  onAnswer: (() => void) | undefined
  onAgain: (() => void) | undefined
}

const isNote = ({ kind }: Message) => kind === 'NOTE'

/** One message: text, writer, time, and the state of sending it. */
export function MessageItem({ thread, message, parent, onAnswer, onAgain }: Props) {
  const t = useTranslations('inbox')
  const [changing, setChanging] = useState(false)
  const item = useRef<HTMLLIElement>(null)
  const stopChanging = () => {
    const { activeElement } = document
    const isHere = item.current?.contains(activeElement) ?? false
    flushSync(() => setChanging(false))
    if (isHere) item.current?.querySelector<HTMLElement>('[aria-haspopup=menu]')?.focus()
  }
  const removeNote = useRemoveNote(thread.id)
  const remove = () => {
    const { current } = item
    const next = current?.nextElementSibling?.querySelector<HTMLElement>('[aria-haspopup=menu]')
    removeNote(message.id)
    const place = next ?? current?.closest<HTMLElement>('[role=group]')
    place?.focus({ preventScroll: true })
  }
  const out = message.direction !== 'IN'
  const note = isNote(message)
  const failed = message.delivery?.state === 'FAILED' && message.delivery.kind !== 'hide'
  return (
    <li
      ref={item}
      data-message={message.id}
      className={clsx(
        'group/message grid max-w-[88%] grid-cols-[minmax(0,auto)] gap-0.5',
        out ? 'justify-items-end justify-self-end' : 'justify-items-start justify-self-start',
      )}
    >
      {parent && out && !note && <Quote message={parent} />}
      <div className={clsx('flex max-w-full items-center gap-1', out && 'flex-row-reverse')}>
        <div
          className={clsx(
            'min-w-0 rounded-xl px-3 py-2 text-13 max-sm:text-15 max-sm:leading-6',
            note ? 'bg-warn-soft' : out ? 'rounded-ee-sm border bg-surface' : 'rounded-es-sm bg-hover',
            out && !note && (failed ? 'border-bad' : 'border-line-strong'),
            message.hiddenAt && 'opacity-60',
          )}
        >
          {changing ? (
            <NoteForm thread={thread} note={message} onClose={stopChanging} />
          ) : (
            <Words thread={thread} message={message} />
          )}
          {message.attachments.length > 0 && (
            <Suspense>
              <Attachments message={message} />
            </Suspense>
          )}
        </div>
        <Acts
          thread={thread}
          message={message}
          onAnswer={onAnswer}
          onChange={() => setChanging(true)}
          onRemove={remove}
        />
      </div>
      <Meta message={message} thread={thread} />
      {message.reaction && (
        <span className="px-1 text-xs text-muted">{t('reaction', { reaction: message.reaction })}</span>
      )}
      <DeliveryLine thread={thread} message={message} onAgain={onAgain} />
    </li>
  )
}

function Words({ thread, message }: Pick<Props, 'thread' | 'message'>) {
  const t = useTranslations('inbox')
  if (message.removedAt)
    return <p className="text-muted italic">{t(thread.customer?.erased ? 'erasedText' : 'removed')}</p>
  if (message.source === 'SYSTEM') return <p>{t('system.closed')}</p>
  if (message.text === null) return null
  return (
    <p dir="auto" className="break-words whitespace-pre-wrap">
      {partsOf(message.text).map(({ text, href }, index) =>
        href === undefined ? (
          text
        ) : (
          <a
            key={index}
            href={href}
            dir="ltr"
            target="_blank"
            rel="noreferrer nofollow"
            className="break-all text-accent-text underline"
          >
            {text}
          </a>
        ),
      )}
    </p>
  )
}

const Quote = ({ message }: Pick<Props, 'message'>) =>
  message.text && (
    <p dir="auto" className="max-w-full border-s-2 border-line-strong ps-2 clip text-xs text-muted">
      {message.text}
    </p>
  )

/** The writer, kind and time of a message. */
function Meta({ message, thread }: Pick<Props, 'message' | 'thread'>) {
  const t = useTranslations('inbox')
  const format = useFormatter()
  const me = useQuery(meQuery).data?.id
  const zone = usePlace().workspace.timezone
  const { author, direction, kind, source, decisionId } = message
  const [asks, setAsks] = useState(false)
  const bots = source === 'BOT_AUTO' || source === 'BOT_SUGGESTED'
  const Icon = bots ? Bot : kind === 'NOTE' ? StickyNote : kind === 'PRIVATE_REPLY' ? LockKeyhole : null
  const who =
    direction === 'IN'
      ? null
      : source === 'SYSTEM'
        ? t('system.name')
        : source === 'BOT_AUTO'
          ? t('bot.name')
          : author
            ? author.id === me
              ? t('you')
              : author.name
            : kind === 'NOTE'
              ? t('formerMember')
              : t('onNetwork', { network: NETWORKS[thread.platform].short })
  const way = kind === 'DM' || source === 'SYSTEM' ? null : t(`ways.${kind}`)
  return (
    <div className="flex max-w-full flex-wrap items-center gap-x-1.5 px-1 text-xs text-muted">
      {Icon && <Icon className="size-3.5 shrink-0" aria-hidden />}
      {who && <bdi className="font-medium">{who}</bdi>}
      {bots && <span>{t(source === 'BOT_AUTO' ? 'bot.sent' : 'bot.drafted')}</span>}
      {way && <span>{way}</span>}
      <time
        dateTime={message.at}
        title={format.dateTime(new Date(message.at), { ...DAY_TIME, timeZone: zone })}
        className="tabular-nums"
      >
        {format.dateTime(new Date(message.at), { timeStyle: 'short', timeZone: zone })}
      </time>
      {message.edited && !message.removedAt && <span>{t('edited')}</span>}
      {message.hiddenAt && (
        <span className="inline-flex items-center gap-1">
          <EyeOff className="size-3.5" aria-hidden />
          {t('hidden')}
        </span>
      )}
      {decisionId !== null && (
        <button
          type="button"
          className="min-h-6 rounded-md px-1 font-medium underline hover:text-fg max-sm:min-h-11 max-sm:min-w-11"
          onClick={() => setAsks(true)}
        >
          {t('bot.why')}
        </button>
      )}
      <Suspense>{asks && decisionId !== null && <WhyDialog id={decisionId} onClose={() => setAsks(false)} />}</Suspense>
    </div>
  )
}

/** The actions on one message. */
function Acts({
  thread,
  message,
  onAnswer,
  onChange,
  onRemove,
}: Omit<Props, 'parent' | 'onAgain'> & { onChange: () => void; onRemove: () => void }) {
  const t = useTranslations('inbox')
  const { membership } = usePlace()
  const me = useQuery(meQuery).data?.id
  const may = useMay('hideMessage')
  const acts = useMessageActs(thread, message)
  const comment = isOpenComment(message)
  const hides = comment && (message.delivery === null || ['PUBLISHED', 'FAILED'].includes(message.delivery.state))
  const own = isNote(message) && message.author?.id === me
  const removes = isNote(message) && (own || membership.role === 'OWNER' || membership.role === 'ADMIN')
  const answers = comment && onAnswer
  if (may.hidden || may.reason || !(hides || removes || answers)) return null
  return (
    <Menu
      label={t('messageActs')}
      trigger={(props) => (
        <Button
          variant="ghost"
          size="icon"
          {...props}
          aria-label={t('messageActs')}
          className="size-7! opacity-0 group-hover/message:opacity-100 focus-visible:opacity-100 aria-expanded:opacity-100 max-sm:size-11! max-sm:opacity-100 pointer-coarse:opacity-100"
        >
          <Ellipsis className="size-4" aria-hidden />
        </Button>
      )}
    >
      {answers && (
        <MenuItem onSelect={onAnswer}>
          <CornerDownLeft className="size-4" aria-hidden />
          {t('answerThis')}
        </MenuItem>
      )}
      {hides && (
        <MenuItem onSelect={message.hiddenAt ? acts.unhide : acts.hide}>
          {message.hiddenAt ? <Eye className="size-4" aria-hidden /> : <EyeOff className="size-4" aria-hidden />}
          {t(message.hiddenAt ? 'unhide' : 'hide')}
        </MenuItem>
      )}
      {own && (
        <MenuItem onSelect={onChange}>
          <Pencil className="size-4" aria-hidden />
          {t('changeNote')}
        </MenuItem>
      )}
      {removes && (
        <MenuItem danger onSelect={onRemove}>
          <Trash2 className="size-4" aria-hidden />
          {t('deleteNote')}
        </MenuItem>
      )}
    </Menu>
  )
}
