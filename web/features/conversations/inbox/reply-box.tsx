import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { CornerDownLeft, LockKeyhole, X } from 'lucide-react'
import { type FormEvent, Suspense, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useFormatter, useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Message, OpenThread } from '../../../../src/conversations/threads/api.ts'
import { isOpenComment, PRIVATE_REPLY_WINDOW, roomFor, sizeIn } from '../../../../src/conversations/threads/rules.ts'
import { networks } from '../../../../src/networks/rules.ts'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import type { SavedReply } from '../../../../src/conversations/replies/api.ts'
import { isProblem } from '../../../client.ts'
import { NETWORKS } from '../../../labels.ts'
import { shortcutsOn } from '../../../shortcuts.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { EmojiButton } from '../../../ui/emoji.tsx'
import { FormError } from '../../../ui/field.tsx'
import { MOD } from '../../../ui/kbd.tsx'
import { lazy } from '../../../ui/part.tsx'
import { useSuggest } from '../../../ui/suggest.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useCustomerName } from './customer-avatar.tsx'
import { found } from '../replies/find.ts'
import { savedRepliesQuery } from '../replies/queries.ts'
import { keepText, keptText } from './unsent-text.ts'
import { useInboxProblem } from './problem.ts'
import { ChosenPicture, PictureButton } from './reply-picture.tsx'
import { filledText, SavedReplies } from './saved-replies.tsx'
import { useWindow } from './times.ts'
import { useSend } from './use-send.ts'
import { WritingArea } from './writing-area.tsx'

const NewerMessage = lazy(async () => ({ default: (await import('./newer-message.tsx')).NewerMessage }))

interface Props {
  thread: OpenThread
  account: SocialAccount | undefined
  answered: Message | null
  onAnswered: (message: Message | null) => void
  /** A failed answer whose text is to be reused, and the callback once it is. */
  again: Message | null
  onAgain: () => void
  refused: string | null
  /** Called when the person starts typing, and when they pause or leave. */
  onTyping: (typing: boolean) => void
}

/** Writes to the customer. Unsent text is kept. */
export function ReplyBox({ thread, account, answered, onAnswered, again, onAgain, refused, onTyping }: Props) {
  const t = useTranslations('inbox')
  const format = useFormatter()
  const problem = useInboxProblem()
  const { ws } = usePlace()
  const hint = useId()
  const [text, setText] = useState(() => keptText(thread.id, 'reply'))
  const latest = useRef(text)
  latest.current = text
  const [privately, setPrivately] = useState(false)
  const [picture, setPicture] = useState<MediaFile | null>(null)
  const send = useSend(thread)
  const left = useWindow()(thread)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (answered) field.current?.focus()
  }, [answered])
  const network = NETWORKS[thread.platform].short
  const name = useCustomerName()(thread)
  const write = (next: string) => {
    setText(next)
    keepText(thread.id, 'reply', next)
    onTyping(next.trim() !== '')
  }
  useRest(text, () => onTyping(false))
  const takeAgain = useEffectEvent((failed: Message) => {
    // Keep the text already in the field.
    write([text.trimEnd(), failed.text].filter(Boolean).join('\n'))
    setPrivately(failed.kind === 'PRIVATE_REPLY')
    onAgain()
    field.current?.focus()
  })
  useEffect(() => {
    if (again) takeAgain(again)
  }, [again])
  const insert = (piece: string) => {
    const { selectionStart: from, selectionEnd: to } = field.current!
    flushSync(() => write(text.slice(0, from) + piece + text.slice(to)))
    field.current!.focus()
    field.current!.setSelectionRange(from + piece.length, from + piece.length)
  }
  const { data: saved = [] } = useQuery({ ...savedRepliesQuery(ws, thread.id), enabled: !refused })
  const suggest = useSuggest<SavedReply>({
    field,
    signs: '/',
    above: true,
    label: t('saved.title'),
    find: ({ text: sought }) => found(saved, sought).slice(0, MOST_OFFERED),
    textOf: filledText,
    show: ({ name, ...one }) => (
      <>
        <bdi className="max-w-40 shrink-0 clip font-medium">{name}</bdi>
        <bdi className="clip text-xs text-muted">{filledText(one)}</bdi>
      </>
    ),
    replace: (piece, from, to) => write(text.slice(0, from) + piece + text.slice(to)),
  })

  const off = useClosed(thread, account, left?.state === 'closed')
  if (off) return <div className="px-3 pt-1 pb-3 text-13 text-muted">{off}</div>

  const target = answered ?? thread.messages.findLast(isOpenComment)
  const secretly = privately && thread.kind === 'COMMENT'
  const limit = roomFor(thread.platform, thread.kind === 'DM' ? 'dm' : secretly ? 'private_reply' : 'reply')
  const size = limit ? sizeIn(text.trim(), limit) : 0
  const over = limit !== undefined && size > limit.most
  const taken = target ? privateTaken(thread, target.id) : null
  const reason =
    refused ??
    (picture
      ? null
      : text.trim() === ''
        ? t('writeFirst')
        : over
          ? t('tooLong', { network, limit: limit.most })
          : secretly && taken
            ? t(`private.${taken}`)
            : null)
  const submit = () =>
    send.mutate(
      {
        ...(picture ? { attachments: [picture.id] } : { text: text.trim() }),
        ...(secretly && { privately: true }),
        ...(answered && { parentId: answered.id }),
      },
      {
        onSuccess: () => {
          if (picture) return setPicture((now) => (now === picture ? null : now))
          // Text typed while the reply was being sent stays, and is sent the same way.
          if (latest.current !== text) return
          write('')
          setPrivately(false)
          onAnswered(null)
        },
      },
    )
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!reason && !send.isPending) submit()
  }
  if (send.newer)
    return (
      <Suspense>
        <NewerMessage
          message={send.newer}
          text={text}
          busy={send.isPending}
          customer={name}
          onSend={submit}
          onBack={send.forget}
          onDrop={() => {
            write('')
            send.forget()
          }}
        />
      </Suspense>
    )
  return (
    <form onSubmit={onSubmit} aria-label={t('forms.reply')}>
      {answered && (
        <p className="mx-3 mt-1 flex items-center gap-1.5 rounded-md bg-sunken ps-2 text-xs text-muted">
          <CornerDownLeft className="size-3.5 shrink-0 rtl:-scale-x-100" aria-hidden />
          <span className="sr-only">{t('answers')}</span>
          <span dir="auto" className="grow clip">
            {answered.text}
          </span>
          <Button
            variant="ghost"
            size="icon"
            className="size-6! max-sm:size-11!"
            aria-label={t('answerNewest')}
            onClick={() => onAnswered(null)}
          >
            <X className="size-3.5" aria-hidden />
          </Button>
        </p>
      )}
      {picture && <ChosenPicture picture={picture} onDrop={() => setPicture(null)} />}
      <WritingArea
        ref={field}
        aria-label={t('replyTo', { name })}
        aria-describedby={hint}
        placeholder={t(saved.length > 0 ? 'replyHint' : 'replyAlone')}
        value={text}
        suggest={suggest}
        onWrite={write}
      />
      {send.error && !isProblem(send.error, 'newer_message') && (
        <div className="px-2 pb-1">
          <FormError>{problem(send.error)}</FormError>
        </div>
      )}
      <p id={hint} className="px-3 pb-1 text-xs text-muted empty:hidden">
        {secretly
          ? t('privateHint', { name })
          : left?.state === 'human'
            ? t('window.human', { network, until: left.until })
            : left?.state === 'open'
              ? t('window.until', { until: left.until })
              : null}
      </p>
      <div className="flex min-h-9 flex-wrap items-center gap-x-2 gap-y-1 px-1.5 pb-1.5">
        {limit?.pictures && !secretly && <PictureButton picture={picture} refused={refused} onChange={setPicture} />}
        {/* Phones have emoji on their keyboards. */}
        {!refused && (
          <span className="max-sm:hidden">
            <EmojiButton onPick={insert} />
          </span>
        )}
        <SavedReplies
          thread={thread}
          text={text}
          refused={refused}
          onPick={(one) => {
            write(text.trim() === '' ? filledText(one) : `${text.trimEnd()} ${filledText(one)}`)
            field.current?.focus()
          }}
        />
        {thread.kind === 'COMMENT' && (
          <Button
            variant="ghost"
            size="sm"
            aria-pressed={privately}
            reason={picture ? t('private.picture') : taken && t(`private.${taken}`)}
            onClick={() => setPrivately(!privately)}
            className={clsx(secretly && 'bg-accent-soft text-accent-text!')}
          >
            <LockKeyhole className="size-3.5" aria-hidden />
            {t('privately')}
          </Button>
        )}
        <span className="min-w-0 grow text-end text-xs">
          {limit && size > limit.most * 0.8 && (
            <bdi dir="ltr" className={clsx('px-1 tabular-nums', over ? 'text-bad' : 'text-muted')}>
              {format.number(size)} / {format.number(limit.most)}
            </bdi>
          )}
        </span>
        <Button
          type="submit"
          variant="primary"
          busy={send.isPending}
          reason={reason}
          aria-keyshortcuts="Meta+Enter Control+Enter"
        >
          {t(secretly ? 'sendPrivately' : 'send')}
          {shortcutsOn() && (
            <span aria-hidden dir="ltr" className="text-xs font-normal opacity-80 max-sm:hidden">
              {MOD} ↵
            </span>
          )}
        </Button>
      </div>
    </form>
  )
}

/** The maximum number of saved replies to suggest while typing. */
const MOST_OFFERED = 6
/** Milliseconds without a change after which a person no longer counts as typing. */
const REST_MS = 6000

/** Calls `onRest` when the text stops changing, and on unmount. */
function useRest(text: string, onRest: () => void) {
  const rest = useEffectEvent(onRest)
  useEffect(() => {
    const timer = setTimeout(() => rest(), REST_MS)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => () => rest(), [])
}

/** Why a comment can no longer be answered privately; null if it can. */
function privateTaken({ messages }: OpenThread, commentId: string): 'used' | 'late' | null {
  const comment = messages.find(({ id }) => id === commentId)
  if (comment && Date.now() - Date.parse(comment.at) > PRIVATE_REPLY_WINDOW) return 'late'
  const answers = messages.filter((one) => one.kind === 'PRIVATE_REPLY' && one.parentId === commentId)
  return answers.some((one) => one.delivery?.state !== 'FAILED') ? 'used' : null
}

/** Why this customer cannot be answered from here now, and how to fix it. */
function useClosed(thread: OpenThread, account: SocialAccount | undefined, closed: boolean) {
  const t = useTranslations('inbox.off')
  const { ws } = usePlace()
  const network = NETWORKS[thread.platform].short
  const name = useCustomerName()(thread)
  const toAccounts = (words: string) => (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <p>{words}</p>
      <Link to="/w/$ws/accounts" params={{ ws }} className={buttonClass('secondary', 'sm')}>
        {t('accounts')}
      </Link>
    </div>
  )
  if (thread.customer?.erased) return <p>{t('erased')}</p>
  if (account?.status === 'DISCONNECTED') return toAccounts(t('disconnected', { account: account.name }))
  if (!networks[thread.platform].answers) return <p>{t('network', { network })}</p>
  if (closed) return <p>{t('window', { network, name })}</p>
  if (thread.kind === 'COMMENT' && !thread.messages.some(isOpenComment)) return <p>{t('removed')}</p>
  return null
}
