import { useFormatter, useTranslations } from 'use-intl'
import type { Notice, Notification } from '../../../../src/team/notifications/api.ts'
import { sayingOf, stoppedBy } from '../../../../src/team/notifications/rules.ts'
import { isolate } from '../../../bidi.ts'
import { useMaybe } from '../../../i18n.tsx'
import { isProvider, PROVIDERS } from '../auth/provider-names.ts'

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const nameIn = (value: unknown) => isolate(text((value as { name?: unknown } | null | undefined)?.name))

/** Returns the sentence of a notification. */
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
    const post = excerpt ? t('post', { excerpt: isolate(excerpt) }) : t('postWithoutText')
    const workspace = isolate(workspaceName ?? text(data['workspaceName']))
    if (kind === 'security') {
      const provider = text(data['provider'])
      const name = isProvider(provider) ? PROVIDERS[provider].name : provider
      return maybe(`notices.security.${text(data['change'])}`, t('kinds.security'), { provider: name })
    }
    const isComment = kind === 'comment_mention' || kind === 'comment_added'
    return maybe(
      `notices.says.${sayingOf(kind as Exclude<Notice, 'security'>, data)}`,
      maybe(`notices.kinds.${kind}`, kind),
      {
        post,
        workspace,
        ...(isComment && { comment: t('post', { excerpt: isolate(excerpt) }) }),
        by: stoppedBy(data).length > 0 ? format.list(stoppedBy(data).map(isolate)) : isolate(text(data['by'])),
        name: isolate(text(data['name'])),
        reason: isolate(text(data['reason'])),
        days: Number(data['days']),
        count: Number(data['count'] ?? 0),
        role: role(data['role']),
        ...(kind === 'ownership_transferred'
          ? { from: nameIn(data['from']), to: nameIn(data['to']) }
          : { from: role(data['from']), to: role(data['to']) }),
        quota: maybe(`plan.quotas.${text(data['quota'])}`, text(data['quota'])),
        used: amount(data['quota'], data['used']),
        limit: amount(data['quota'], data['limit']),
      },
    )
  }
}
