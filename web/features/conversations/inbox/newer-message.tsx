import { MessageSquareWarning } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { Message } from '../../../../src/conversations/threads/api.ts'
import { meQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'

interface Props {
  /** The message that another person sent first. */
  message: Message
  /** The unsent text. */
  text: string
  customer: string
  busy: boolean
  onSend: () => void
  onBack: () => void
  onDrop: () => void
}

/** Another person replied first, so nothing was sent. Shows both texts and asks what to do. */
export function NewerMessage({ message, text, customer, busy, onSend, onBack, onDrop }: Props) {
  const t = useTranslations('inbox.newer')
  const me = useQuery(meQuery).data?.id
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { author, direction } = message
  const title =
    direction === 'IN'
      ? t('byCustomer', { name: customer })
      : author && author.id !== me
        ? t('byColleague', { name: author.name })
        : t('bySomebody')
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes it, as any dialog
    <div
      role="alertdialog"
      aria-labelledby="newer-title"
      className="grid gap-2.5 px-3 pt-1.5 pb-3 text-13"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        // Elsewhere, Escape leaves the thread.
        event.preventDefault()
        onBack()
      }}
    >
      <h3
        id="newer-title"
        ref={heading}
        tabIndex={-1}
        className="flex items-center gap-1.5 font-semibold text-warn outline-none"
      >
        <MessageSquareWarning className="size-4 shrink-0" aria-hidden />
        {title}
      </h3>
      <dl className="grid gap-2 sm:grid-cols-2">
        <Text name={direction === 'IN' ? t('theirs') : t('sent')} text={message.text ?? t('noText')} />
        <Text name={t('yours')} text={text} />
      </dl>
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="ghost" onClick={onDrop}>
          {t('drop')}
        </Button>
        <Button onClick={onBack}>{t('change')}</Button>
        <Button variant="primary" busy={busy} onClick={onSend}>
          {t('sendToo')}
        </Button>
      </div>
    </div>
  )
}

const Text = ({ name, text }: { name: string; text: string }) => (
  <div className="min-w-0 rounded-md bg-sunken px-2.5 py-1.5">
    <dt className="text-xs text-muted">{name}</dt>
    <dd dir="auto" className="max-h-32 overflow-y-auto break-words whitespace-pre-wrap">
      {text}
    </dd>
  </div>
)
