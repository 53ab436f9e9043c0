import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useTranslations } from 'use-intl'
import type { Thread } from '../../../../src/conversations/api.ts'
import { meQuery } from '../../../queries.ts'

type Message = Pick<NonNullable<Thread['lastMessage']>, 'author' | 'text'> & { source: string | null }

interface Props {
  /** Null: nobody has written yet. */
  message: Message | null
  className?: string
}

/** The newest words of a thread; words of our side begin with the name of the writer. */
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

/** The name of a writer of our side. Clients are not told the names of members. */
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
