import '../endpoints.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import type { MeasuredPost, PostMetric } from '../../../../src/insights/metrics/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { NetworkMark } from '../../../ui/network.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useMoment } from '../../shell/moment.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { postMetricsQuery } from '../queries.ts'
import { Course } from './course.tsx'
import { Ended, isLate, Reading, Unread } from './reading.tsx'
import { useNow } from '../../../now.ts'
import { type PostFigure, notToldOf, toldOf } from './rules.ts'

/** The figures of a live post as its networks report them, with the time of the reading. */
export default function PostFigures({ id, publishedAt }: { id: string; publishedAt: string | null }) {
  const t = useTranslations('figures')
  const { ws } = usePlace()
  const query = useQuery(postMetricsQuery(ws, id))
  return (
    <section className="card grid grid-cols-[minmax(0,1fr)] gap-3 p-4" aria-labelledby="figures-title">
      <h2 id="figures-title" className="text-13 font-semibold">
        {t('title')}
      </h2>
      <Loaded query={query} skeleton={<div className="skeleton h-24" aria-hidden />}>
        {({ posts, data }) =>
          posts.length === 0 ? <NoFigures publishedAt={publishedAt} /> : <Accounts posts={posts} metrics={data} />
        }
      </Loaded>
    </section>
  )
}

function NoFigures({ publishedAt }: { publishedAt: string | null }) {
  const t = useTranslations('figures')
  const now = useNow()
  if (publishedAt !== null && isLate(publishedAt, now)) return <Unread next={null} />
  return <p className="text-13 text-muted">{t('soon')}</p>
}

/** One account at a time: their figures are counted in different ways and never added up. */
function Accounts({ posts, metrics }: { posts: MeasuredPost[]; metrics: PostMetric[] }) {
  const t = useTranslations('figures')
  const [chosen, choose] = useState<string | null>(null)
  const post = posts.find(({ id }) => id === chosen) ?? posts[0]
  if (!post) return null
  return (
    <>
      {posts.length > 1 && (
        <div role="group" aria-label={t('account')} className="flex flex-wrap gap-2">
          {posts.map(({ id, platform, accountName }) => (
            <button
              key={id}
              type="button"
              aria-pressed={id === post.id}
              onClick={() => choose(id)}
              className="inline-flex min-h-8 max-w-full items-center gap-2 rounded-md border px-2.5 text-13 font-medium text-muted hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-fg max-sm:min-h-11"
            >
              <NetworkMark platform={platform} small />
              <bdi className="clip">{accountName}</bdi>
            </button>
          ))}
        </div>
      )}
      <OnAccount key={post.id} post={post} metrics={metrics.filter(({ accountId }) => accountId === post.accountId)} />
    </>
  )
}

/** Grid classes that keep all figures in one row on wider screens. */
const COLUMNS: Record<number, string> = { 5: 'sm:grid-cols-5', 6: 'sm:grid-cols-6' }

function OnAccount({ post, metrics }: { post: MeasuredPost; metrics: PostMetric[] }) {
  const t = useTranslations('figures')
  const format = useFormatter()
  const moment = useMoment()
  const { ws, membership } = usePlace()
  const told = toldOf(post)
  const [chosen, choose] = useState<PostFigure | null>(null)
  const figure = (told.find(({ name }) => name === chosen) ?? told[0])?.name
  const network = NETWORKS[post.platform].short
  const missing = notToldOf(post)
  return (
    <>
      <Reading post={post} />
      <Ended post={post} />
      {figure && (
        <>
          <div role="group" aria-label={t('metric')} className="overflow-hidden rounded-lg border">
            <div className={`-ms-px -mt-px grid grid-cols-2 ${COLUMNS[told.length] ?? 'sm:grid-cols-4'}`}>
              {told.map(({ name, value }) => {
                const known = name === 'engagement' ? undefined : post.knownAt[name]
                return (
                  <button
                    key={name}
                    type="button"
                    aria-pressed={name === figure}
                    title={t(`about.${name}`)}
                    onClick={() => choose(name)}
                    className="grid content-start gap-0.5 border-s border-t px-3 py-2.5 text-start -outline-offset-2 hover:bg-hover aria-pressed:bg-accent-soft"
                  >
                    <span className="text-xs text-muted">{t(`metrics.${name}`)}</span>
                    <bdi dir="ltr" className="justify-self-start text-base font-semibold tabular-nums">
                      {format.number(value)}
                    </bdi>
                    {known && (
                      <span className="text-2xs text-warn">{t('knownAt', { time: moment(known, 'any') })}</span>
                    )}
                  </button>
                )
              })}
            </div>
          </div>
          <Course post={post} metrics={metrics} figure={figure} />
          {!refusal(membership, 'getAnalyticsPost') && (
            <Link
              to="/w/$ws/analytics/posts/$id"
              params={{ ws, id: post.id }}
              className="inline-flex min-h-6 items-center justify-self-start text-13 font-medium text-accent-text hover:underline max-sm:min-h-11"
            >
              {t('compare')}
            </Link>
          )}
        </>
      )}
      {figure && missing.length > 0 && (
        <p className="text-xs text-muted">
          {t('notTold', { network, metrics: format.list(missing.map((name) => t(`metrics.${name}`))) })}
        </p>
      )}
    </>
  )
}
