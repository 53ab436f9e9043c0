import { Link } from '@tanstack/react-router'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { demandsApprovalAnew } from '../../../../src/publishing/posts/rules.ts'
import { dateIn, zoneName } from '../../../time.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import PausedNote from './paused-note.tsx'
import { waitsForPause } from './paused.ts'

/** When a scheduled post goes out, or that it waits for publishing to be resumed, and what a change would do to it. */
export default function ScheduledNote({ post }: { post: Post }) {
  const t = useTranslations('post')
  const format = useFormatter()
  const locale = useLocale()
  const { ws, workspace, membership } = usePlace()
  if (!post.scheduledAt) return null
  const anew = !refusal(membership, 'submitPost') && demandsApprovalAnew(workspace.approvalMode, membership.role)
  if (waitsForPause(post, workspace))
    return (
      <div className="grid gap-1.5 border-b px-4 py-2 text-13 lg:px-6">
        <PausedNote />
        {anew && <p>{t('changeNeedsApproval')}</p>}
      </div>
    )
  const at = new Date(post.scheduledAt)
  const zone = workspace.timezone
  const time = format.dateTime(at, { dateStyle: 'full', timeStyle: 'short', timeZone: zone })
  return (
    <p className="border-b bg-accent-soft px-4 py-2 text-13 lg:px-6">
      {t.rich('goesOut', {
        time,
        zone: zoneName(zone, at, locale),
        b: (chunks) => <strong className="font-semibold">{chunks}</strong>,
      })}{' '}
      {t(anew ? 'changeNeedsApproval' : 'changesCount')}{' '}
      <Link
        to="/w/$ws/calendar"
        params={{ ws }}
        search={{ date: dateIn(at, zone) }}
        className="font-medium text-accent-text underline"
      >
        {t('showInCalendar')}
      </Link>
    </p>
  )
}
