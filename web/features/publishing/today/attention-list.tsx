import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { Rows } from '../../../ui/row.tsx'
import { ErrorView } from '../../../ui/states.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { AccountNeed, ApprovalNeed, InboxNeed } from './need-rows.tsx'
import type { Attention, Need } from './attention.ts'
import { Section } from './section.tsx'
import { TroubleNeed } from './trouble-need.tsx'

/** The maximum number of entries, so that they can be read at a glance. */
const MOST = 6

interface Props {
  attention: Attention
  /** Pictures of posts, by id. */
  pictures: ReadonlyMap<string, string>
}

/** Everything that waits for this person, each with the one action that helps. */
export function AttentionList({ attention, pictures }: Props) {
  const t = useTranslations('today')
  const { ws } = usePlace()
  const { needs, count, error, refetch } = attention
  if (error) return <ErrorView error={error} retry={() => void refetch()} />
  if (needs.length === 0) return null
  const more = count > MOST && (
    <Link to="/w/$ws/trouble" params={{ ws }}>
      {t('showAll')}
    </Link>
  )
  return (
    <Section title={t('attention')} action={more}>
      <Rows>
        {needs.slice(0, MOST).map((need, index) => (
          <NeedRow key={keyOf(need)} need={need} first={index === 0} pictures={pictures} />
        ))}
      </Rows>
    </Section>
  )
}

function keyOf(need: Need): string {
  switch (need.kind) {
    case 'account':
      return need.account.id
    case 'trouble':
      return need.trouble.id
    case 'inbox':
      return 'inbox'
    case 'approval':
      return need.request.id
  }
}

function NeedRow({ need, first, pictures }: { need: Need; first: boolean; pictures: Props['pictures'] }) {
  // The first action is the primary one of the page.
  const look = first ? 'primary' : 'secondary'
  if (need.kind === 'account') return <AccountNeed account={need.account} look={look} />
  if (need.kind === 'inbox') return <InboxNeed {...need} look={look} />
  if (need.kind === 'approval') return <ApprovalNeed request={need.request} look={look} />
  return <TroubleNeed trouble={need.trouble} look={look} picture={pictures.get(need.trouble.postId)} />
}
