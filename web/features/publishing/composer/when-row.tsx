import { Link } from '@tanstack/react-router'
import { CalendarClock, ChevronDown } from 'lucide-react'
import { Suspense } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { changeNeedsApproval } from '../../../../src/publishing/posts/rules.ts'
import { predictionTexts } from '../../../i18n.tsx'
import { dateIn, timeFormat, zoneName } from '../../../time.ts'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import type { DraftHandle } from './use-draft.ts'

const LabelRow = lazy(() => import('../../team/labels/label-row.tsx'))
const Prediction = lazy(async () => {
  await predictionTexts()
  return import('../../insights/predictions/panel.tsx')
})
const PostLabels = lazy(() => import('../../team/labels/post-labels.tsx'))

interface Props {
  post: Post | null
  /** The post's time, or the initial one. */
  at: Date | null
  reason: string | null
  onChoose: () => void
  /** The labels of a new post. */
  labels: Pick<DraftHandle, 'labels' | 'setLabels'>
}

/** When the post will be published, in the workspace's zone, and what changing a scheduled post does. */
export function WhenRow({ post, at, reason, onChoose, labels }: Props) {
  const t = useTranslations('composer')
  const words = useTranslations('post')
  const format = useFormatter()
  const locale = useLocale()
  const { ws, workspace, membership } = usePlace()
  const zone = workspace.timezone
  const scheduled = post?.status === 'SCHEDULED'
  const needsApproval =
    !refusal(membership, 'submitPost') && changeNeedsApproval(workspace.approvalMode, membership.role)
  return (
    <section aria-labelledby="when" className="grid gap-1.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-13">
        <h2 id="when" className="text-muted">
          {t('publishOn')}
        </h2>
        <Button reason={reason} onClick={onChoose}>
          <CalendarClock className="size-4 text-muted" aria-hidden />
          <span className="tabular-nums">{at ? format.dateTime(at, timeFormat(at, zone)) : t('chooseTime')}</span>
          <ChevronDown className="size-4 text-muted" aria-hidden />
        </Button>
        <bdi className="text-muted">{zoneName(zone, at ?? new Date(), locale)}</bdi>
        {scheduled && at && (
          <Link
            to="/w/$ws/calendar"
            params={{ ws }}
            search={{ date: dateIn(at, zone) }}
            className="inline-flex min-h-6 items-center font-medium text-accent-text hover:underline max-sm:min-h-11"
          >
            {words('showInCalendar')}
          </Link>
        )}
      </div>
      <Suspense fallback={<div className="h-8" aria-hidden />}>
        {post ? <PostLabels post={post} /> : <LabelRow labels={labels.labels} onChange={labels.setLabels} />}
      </Suspense>
      {post && (
        <Suspense>
          <Prediction post={post} />
        </Suspense>
      )}
      {scheduled && (
        <p className="text-xs text-muted">{words(needsApproval ? 'changeNeedsApproval' : 'changesCount')}</p>
      )}
    </section>
  )
}
