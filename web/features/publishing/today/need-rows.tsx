import { Link } from '@tanstack/react-router'
import { CircleCheck, MessageCircle, Unplug } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { ListedApproval } from '../../../../src/publishing/approvals/api.ts'
import { isolate } from '../../../bidi.ts'
import { fileUrl } from '../../../files.ts'
import { NETWORKS } from '../../../labels.ts'
import { useProblemText } from '../../../problem.ts'
import { AccountAvatar } from '../../../ui/account-avatar.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Thumb } from '../../../ui/row.tsx'
import { toast } from '../../../toast.ts'
import { useConnect } from '../../channels/accounts/use-connect.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { useAgo } from '../../../now.ts'
import { nameOf } from './name.ts'
import { type Look, NeedRow } from './need-row.tsx'
import { useWhen } from './when.ts'

/** An account that must be reconnected. */
export function AccountNeed({ account, look }: { account: SocialAccount; look: Look }) {
  const t = useTranslations('today.account')
  const text = useProblemText()
  const connect = useConnect()
  return (
    <NeedRow
      icon={Unplug}
      tone="text-bad"
      picture={<AccountAvatar account={account} className="size-(--thumb)" />}
      title={t('title', { name: isolate(account.name) })}
      detail={t('detail', { network: NETWORKS[account.platform].name })}
      act={
        <Button
          variant={look}
          size="sm"
          busy={connect.isPending}
          onClick={() => connect.mutate(account.platform, { onError: (error) => toast.error(text(error)) })}
        >
          {t('act')}
        </Button>
      }
    />
  )
}

/** Customers who wait for an answer, as one matter. */
export function InboxNeed({ unanswered, escalated, look }: { unanswered: number; escalated: number; look: Look }) {
  const t = useTranslations('today.inbox')
  const { ws } = usePlace()
  return (
    <NeedRow
      icon={MessageCircle}
      tone={escalated > 0 ? 'text-bad' : 'text-warn'}
      picture={null}
      title={t('title', { count: unanswered })}
      detail={escalated > 0 && t('escalated', { count: escalated })}
      act={
        <Link to="/w/$ws/inbox" params={{ ws }} search={{ filter: 'unanswered' }} className={buttonClass(look, 'sm')}>
          {t('act')}
        </Link>
      }
    />
  )
}

/** A request that this person can decide. */
export function ApprovalNeed({ request, look }: { request: ListedApproval; look: Look }) {
  const t = useTranslations('today.approval')
  const common = useTranslations('today')
  const ago = useAgo()
  const when = useWhen()
  const { ws } = usePlace()
  const { post, requestedBy, createdAt } = request
  const asked = requestedBy
    ? t('asked', { name: isolate(requestedBy.name), ago: ago(createdAt) })
    : t('askedAlone', { ago: ago(createdAt) })
  const goesOut = post.scheduledAt && common('goesOut', { when: when(post.scheduledAt) })
  return (
    <NeedRow
      icon={CircleCheck}
      tone="text-warn"
      picture={<Thumb url={fileUrl(post.thumbnailUrl)} />}
      title={t('title', { caption: isolate(nameOf(post.caption) || common('untitled')) })}
      detail={[asked, goesOut].filter(Boolean).join(' · ')}
      platforms={post.platforms}
      act={
        <Link to="/w/$ws/approvals" params={{ ws }} search={{ id: request.id }} className={buttonClass(look, 'sm')}>
          {t('act')}
        </Link>
      }
    />
  )
}
