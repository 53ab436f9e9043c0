import { CircleAlert, CircleCheck, CircleHelp, Clock, LoaderCircle } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Message, Thread } from '../../../../src/conversations/threads/api.ts'
import type { DeliveryError } from '../../../../src/delivery/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { useFailureWords } from '../../../service-words.ts'
import { Button } from '../../../ui/button.tsx'
import { useMay } from '../../shell/workspace.tsx'
import { useMessageActs } from './use-message-acts.ts'

interface Props {
  thread: Thread
  message: Message
  /** Reuses the text for a new attempt; absent where writing is not possible. */
  onAgain: (() => void) | undefined
}

/** The state of sending an answer or hiding a comment, with actions to fix it. */
export function DeliveryLine({ thread, message, onAgain }: Props) {
  const t = useTranslations('inbox.delivery')
  const network = NETWORKS[thread.platform].short
  const { delivery } = message
  if (!delivery) return null
  const { kind, state, waitReason } = delivery
  if (state === 'FAILED') return <Failed thread={thread} message={message} onAgain={onAgain} />
  if (state === 'UNCONFIRMED') return <Unconfirmed thread={thread} message={message} />
  if (kind === 'hide' && state === 'PUBLISHED') return null
  const done = state === 'PUBLISHED'
  const Icon = done ? CircleCheck : waitReason ? Clock : LoaderCircle
  const words = done
    ? t('sent')
    : waitReason
      ? t(`waits.${waitReason}`, { network })
      : t(kind === 'hide' ? 'changing' : 'sending')
  return (
    <p role="status" className="flex items-center gap-1 px-1 text-xs text-muted">
      <Icon className={done || waitReason ? 'size-3.5' : 'size-3.5 motion-safe:animate-spin'} aria-hidden />
      {words}
    </p>
  )
}

/**
 * Why an answer failed, and how to fix it. Unlike a post, an answer cannot be edited, so some reasons have their own
 * texts.
 */
function useAnswerFailure() {
  const t = useTranslations('inbox.delivery.reasons')
  const words = useFailureWords()
  return (error: DeliveryError) => {
    const code = error.code as 'content'
    return t.has(`${code}.message`) ? { message: t(`${code}.message`), fix: t(`${code}.fix`) } : words(error)
  }
}

function Failed({ thread, message, onAgain }: Props) {
  const t = useTranslations('inbox.delivery')
  const words = useAnswerFailure()
  const may = useMay('retryMessage')
  const acts = useMessageActs(thread, message)
  const { kind, error } = message.delivery!
  const said = error && words(error)
  return (
    <div role="status" className="grid max-w-full justify-items-end gap-1.5 px-1 text-xs">
      <p className="flex items-start gap-1 text-bad">
        <CircleAlert className="mt-px size-3.5 shrink-0" aria-hidden />
        <span>
          {t(kind === 'hide' ? 'notChanged' : 'failed')} {said && `${said.message} ${said.fix}`}
        </span>
      </p>
      {!may.hidden && (
        <div className="flex flex-wrap justify-end gap-2">
          {kind !== 'hide' && message.text !== null && onAgain && (
            <Button size="sm" reason={may.reason} onClick={onAgain}>
              {t('again')}
            </Button>
          )}
          <Button size="sm" reason={may.reason} busy={acts.busy === 'retry'} onClick={acts.retry}>
            {t('retry')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** The outcome at the network is unknown. A person checks there and reports it. */
function Unconfirmed({ thread, message }: Omit<Props, 'onAgain'>) {
  const t = useTranslations('inbox.delivery')
  const may = useMay('resolveMessage')
  const acts = useMessageActs(thread, message)
  const hide = message.delivery!.kind === 'hide'
  return (
    <div role="status" className="grid max-w-md gap-2 rounded-lg bg-warn-soft px-3 py-2.5 text-xs">
      <p className="flex items-start gap-1.5">
        <CircleHelp className="mt-px size-3.5 shrink-0 text-warn" aria-hidden />
        {t(hide ? 'unconfirmedChange' : 'unconfirmed', { network: NETWORKS[thread.platform].short })}
      </p>
      {!may.hidden && (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" reason={may.reason} busy={acts.busy === 'live'} onClick={() => acts.resolve('live')}>
            {t(hide ? 'isChanged' : 'isThere')}
          </Button>
          <Button
            size="sm"
            reason={may.reason}
            busy={acts.busy === 'not_live'}
            onClick={() => acts.resolve('not_live')}
          >
            {t(hide ? 'isNotChanged' : 'isNotThere')}
          </Button>
        </div>
      )}
    </div>
  )
}
