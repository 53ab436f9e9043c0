import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useTranslations } from 'use-intl'
import type { Thread } from '../../../../src/conversations/threads/api.ts'
import { meQuery } from '../../../queries.ts'

type Message = Pick<NonNullable<Thread['lastMessage']>, 'author' | 'text'> & { source: string | null }

interface Props {
  /** null: the thread has no messages yet. */
  message: Message | null
  className?: string
}

/** The newest message of a thread. Messages from our side begin with the writer's name. */
export function LastWords({ message, className }: Props) {
  const t = useTranslations('inbox')
  const writer = useWriter()(message)
  return (
    <span className={clsx('flex min-w-0', className)}>
      {writer && <span className="max-w-1/2 shrink-0 clip whitespace-pre">{t('wrote', { name: writer })} </span>}
      <span dir="auto" className="grow clip">
        {message?.text ?? t('noText')}
      </span>
    </span>
  )
}

/** The name of a writer on our side. Members' names are hidden from clients. */
function useWriter() {
  const t = useTranslations('inbox')
  const me = useQuery(meQuery).data?.id
  return (message: Message | null): string | null => {
    if (!message || message.source === null || message.source === 'CUSTOMER') return null
    if (message.source === 'BOT_AUTO') return t('bot.name')
    if (!message.author) return t('team')
    return message.author.id === me ? t('you') : message.author.name
  }
}
