import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { waitingQuery } from '../../queries.ts'
import { countsQuery } from '../conversations/inbox/queries.ts'
import { useAttention } from '../publishing/today/attention.ts'
import type { NavigationEntry, Membership } from './entries.ts'
import { refusal } from './workspace.tsx'

interface Props {
  label: NavigationEntry['label']
  membership: Membership
}

/** The number of waiting items of a navigation entry. */
export default function Count({ label, membership }: Props) {
  if (label === 'today') return <Needs membership={membership} />
  if (label === 'inbox') return <Unanswered membership={membership} />
  return label === 'approvals' ? <Waiting membership={membership} /> : null
}

function Needs({ membership }: { membership: Membership }) {
  const t = useTranslations('shell')
  const { count } = useAttention(membership)
  return <Figure count={count} text={t('needsYou', { count })} />
}

function Waiting({ membership }: { membership: Membership }) {
  const t = useTranslations('shell')
  const { data } = useQuery({ ...waitingQuery(membership.id), enabled: !refusal(membership, 'listApprovals') })
  const count = data?.data.filter(({ waitsForCaller }) => waitsForCaller).length ?? 0
  return <Figure count={count} more={Boolean(data?.nextCursor)} text={t('waiting', { count })} />
}

function Unanswered({ membership }: { membership: Membership }) {
  const t = useTranslations('shell')
  const { data } = useQuery({
    ...countsQuery(membership.id),
    enabled: !refusal(membership, 'countConversations'),
  })
  const count = data?.unanswered ?? 0
  return <Figure count={count} text={t('unanswered', { count })} />
}

function Figure({ count, more, text }: { count: number; more?: boolean; text: string }) {
  if (count === 0) return null
  return (
    <span className="ms-auto text-xs font-medium tabular-nums">
      <span aria-hidden dir="ltr">
        {more ? `${count}+` : count}
      </span>
      <span className="sr-only">{text}</span>
    </span>
  )
}
