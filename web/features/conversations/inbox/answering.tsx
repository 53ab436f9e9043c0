import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { Message, OpenThread } from '../../../../src/conversations/threads/api.ts'
import { accountsQuery } from '../../../queries.ts'
import { shortcutsOn, useShortcuts } from '../../../shortcuts.ts'
import { Keys } from '../../../ui/kbd.tsx'
import { lazy } from '../../../ui/part.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { Presence } from './presence.tsx'
import { NoteBox } from './note-box.tsx'
import { ReplyBox } from './reply-box.tsx'
import type { useAnswering } from './use-answering.ts'
import { useSend } from './use-send.ts'

const BotHere = lazy(async () => ({ default: (await import('../bot/held/bot-here.tsx')).BotHere }), { small: true })

interface Props {
  thread: OpenThread
  /** All loaded messages. */
  messages: Message[]
  answering: ReturnType<typeof useAnswering>
  /** Why writing is disabled. */
  refused: string | null
  onTyping: (typing: boolean) => void
}

/** The form below a thread: an answer to the customer, or a note among colleagues. */
export function Answering({ thread, messages, answering, refused, onTyping }: Props) {
  const t = useTranslations('inbox')
  const { ws } = usePlace()
  const { forms, form, box, open } = answering
  const account = useQuery(accountsQuery(ws)).data?.find(({ id }) => id === thread.accountId)
  // The form of a note replaces that of the reply, which is still being sent.
  const send = useSend(thread)
  useShortcuts({ ...(thread.customer && { r: () => open('reply') }), ';': () => open('note') })
  return (
    <div
      ref={box}
      className="shrink-0 border-t px-3 pt-1 pb-[max(0.75rem,env(safe-area-inset-bottom))] lg:border-t-0 lg:px-4"
    >
      <Presence presence={thread.presence} />
      <div className="rounded-lg border border-line-strong shadow-card focus-within:border-accent">
        <div role="group" aria-label={t('form')} className="flex items-center gap-0.5 px-1 pt-1">
          {forms.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={form === one}
              aria-keyshortcuts={one === 'reply' ? 'R' : ';'}
              onClick={() => open(one)}
              className={clsx(
                'inline-flex min-h-6 items-center gap-1.5 rounded-md ps-2 pe-1 text-xs font-medium max-sm:min-h-11 max-sm:min-w-11 max-sm:justify-center max-sm:px-3',
                form === one ? 'bg-sunken text-fg' : 'text-muted hover:text-fg',
              )}
            >
              {t(`forms.${one}`)}
              {shortcutsOn() && (
                <span aria-hidden className="max-sm:hidden">
                  <Keys keys={[one === 'reply' ? 'R' : ';']} />
                </span>
              )}
            </button>
          ))}
          <Suspense>
            <BotHere thread={thread} />
          </Suspense>
        </div>
        {form === 'reply' ? (
          <ReplyBox
            thread={thread}
            account={account}
            messages={messages}
            send={send}
            refused={refused}
            onTyping={onTyping}
          />
        ) : (
          <NoteBox thread={thread} refused={refused} />
        )}
      </div>
    </div>
  )
}
