import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { accountsQuery, labelsQuery } from '../../../queries.ts'
import { everyMemberQuery } from '../../team/members/queries.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import type { InboxSearch, Narrowing } from './search.ts'

/** The active filters, each with a button to remove it. */
export function ChosenFilters({ search, onChange }: Narrowing) {
  const t = useTranslations('inbox')
  const { ws, membership } = usePlace()
  const accounts = useQuery({ ...accountsQuery(ws), enabled: !refusal(membership, 'listSocialAccounts') }).data
  const labels = useQuery(labelsQuery(ws)).data
  const { only, urgency, sentiment, assignee, account, label, closed, post, unread } = search
  const members = useQuery({ ...everyMemberQuery(ws), enabled: assignee !== undefined }).data
  const chips: [keyof InboxSearch, string | undefined][] = [
    ['unread', unread && t('onlyUnread')],
    ['only', only && t(`kindsMany.${only}`)],
    ['closed', closed && t('statuses.CLOSED')],
    ['urgency', urgency && t(`urgencies.${urgency}`)],
    ['sentiment', sentiment && t(`sentiments.${sentiment}`)],
    ['assignee', assignee && members && (members.find(({ id }) => id === assignee)?.name ?? t('formerMember'))],
    ['account', account && accounts?.find(({ id }) => id === account)?.name],
    ['post', post && t('onePost')],
    ['label', label && labels?.find(({ id }) => id === label)?.name],
  ]
  const shown = chips.filter(([, name]) => name !== undefined)
  if (shown.length === 0) return null
  return (
    <div className="flex flex-wrap gap-1.5 px-3 pb-2">
      {shown.map(([key, name]) => (
        <button
          key={key}
          type="button"
          onClick={() => onChange({ [key]: undefined })}
          className="inline-flex min-h-6 max-w-full items-center gap-1 rounded-full bg-accent-soft ps-2.5 pe-1.5 text-xs font-medium text-accent-text max-sm:min-h-11 max-sm:ps-4 max-sm:pe-3"
        >
          <bdi className="clip">{name}</bdi>
          <X className="size-3.5 shrink-0" aria-hidden />
          <span className="sr-only">{t('remove')}</span>
        </button>
      ))}
    </div>
  )
}
