import { useFormatter, useTranslations } from 'use-intl'
import type { Notice, Notification } from '../../../../src/team/notifications/api.ts'
import { useMaybe } from '../../../i18n.tsx'
import { isProvider, PROVIDERS } from '../auth/provider-names.ts'

const text = (value: unknown) => (typeof value === 'string' ? value : '')
/** What somebody wrote keeps its direction and leaves that of the sentence alone. */
const apart = (words: string) => `\u2068${words}\u2069`
const nameIn = (value: unknown) => apart(text((value as { name?: unknown } | null | undefined)?.name))

const PARTS: Record<string, 'post_partly' | 'post_comment'> = {
  PARTIALLY_PUBLISHED: 'post_partly',
  COMMENT_FAILED: 'post_comment',
}

/** Whether people stopped all that did not go out. */
export const isStop = (data: Notification['data']): data is Notification['data'] & { stoppedBy: string[] } =>
  Array.isArray(data['stoppedBy']) && data['stoppedBy'].length > 0

/** What a notice says. */
export function useSentence(): (notice: Notification) => string {
  const t = useTranslations('notices')
  const maybe = useMaybe()
  const format = useFormatter()
  const role = (value: unknown) => maybe(`states.roles.${text(value)}`, text(value))
  const amount = (quota: unknown, value: unknown) =>
    quota === 'media_bytes'
      ? format.number(Number(value) / 2 ** 30, { style: 'unit', unit: 'gigabyte', maximumFractionDigits: 1 })
      : format.number(Number(value))

  return ({ kind, data, workspaceName }) => {
    const excerpt = text(data['excerpt'])
    const post = excerpt ? t('post', { excerpt: apart(excerpt) }) : t('postWithoutText')
    const workspace = apart(workspaceName ?? text(data['workspaceName']))
    const quota = () => ({
      quota: maybe(`plan.quotas.${text(data['quota'])}`, text(data['quota'])),
      used: amount(data['quota'], data['used']),
      limit: amount(data['quota'], data['limit']),
    })
    switch (kind as Notice) {
      case 'invitation_received':
        return t('says.invitation_received', { by: apart(text(data['by'])), workspace, role: role(data['role']) })
      case 'invitation_accepted':
        return t('says.invitation_accepted', { name: apart(text(data['name'])), role: role(data['role']) })
      case 'ownership_transferred':
        return t('says.ownership_transferred', { from: nameIn(data['from']), to: nameIn(data['to']) })
      case 'role_changed':
        return t('says.role_changed', { from: role(data['from']), to: role(data['to']) })
      case 'member_removed':
        return t('says.member_removed', { workspace })
      case 'approval_requested':
        return typeof data['days'] === 'number'
          ? t('says.approval_waits', { post, days: data['days'] })
          : t('says.approval_requested', { post })
      case 'approval_decided': {
        const by = apart(text(data['by']))
        if (data['state'] === 'REJECTED')
          return t('says.approval_rejected', { by, post, reason: apart(text(data['reason'])) })
        if (data['timePassed']) return t('says.approval_approved_late', { by, post })
        return t(data['status'] === 'DRAFT' ? 'says.approval_approved_draft' : 'says.approval_approved', { by, post })
      }
      case 'comment_mention':
      case 'comment_added': {
        const comment = t('post', { excerpt: apart(excerpt) })
        return t(`says.${kind as 'comment_added'}`, { by: apart(text(data['by'])), comment })
      }
      case 'post_at_risk': {
        const count = Number(data['count'])
        return count > 1 ? t('says.posts_at_risk', { count }) : t('says.post_at_risk', { post })
      }
      case 'post_delayed':
        return t('says.post_delayed', { post })
      case 'post_failed':
        if (isStop(data)) {
          const by = format.list(data.stoppedBy.map(apart))
          return t(data['status'] === 'FAILED' ? 'says.post_stopped' : 'says.post_partly_stopped', { by, post })
        }
        return t(`says.${PARTS[text(data['status'])] ?? 'post_failed'}`, { post })
      case 'outcome_unknown':
        return t(data['found'] ? 'says.found_live' : 'says.outcome_unknown', { post })
      case 'account_reconnect':
        return t('says.account_reconnect', { name: apart(text(data['name'])) })
      case 'publishing_paused':
        if (data['paused']) return t('says.publishing_paused', { reason: apart(text(data['reason'])) })
        return t('says.publishing_resumed', { count: Number(data['count'] ?? 0) })
      case 'quota_near':
        return t('says.quota_near', quota())
      case 'quota_reached':
        return t('says.quota_reached', quota())
      case 'security': {
        const provider = text(data['provider'])
        const name = isProvider(provider) ? PROVIDERS[provider].name : provider
        return maybe(`notices.security.${text(data['change'])}`, t('kinds.security'), { provider: name })
      }
      default:
        return maybe(`notices.kinds.${kind}`, kind)
    }
  }
}
