import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, ChartLine, ExternalLink, Table2 } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { CurveMetric, PostAnalysis } from '../../../../src/insights/analytics/api.ts'
import { tagTexts } from '../../../i18n.tsx'
import { NETWORKS } from '../../../labels.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { Page } from '../../../ui/page.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useMoment } from '../../shell/moment.ts'
import { Refused } from '../../shell/refused.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import type { Point } from '../chart/curve.tsx'
import { Ended, Reading } from '../post/reading.tsx'
import { ageOf } from '../post/rules.ts'
import { About } from './about.tsx'
import { MADE_OF } from './post-parts.tsx'
import { postAnalysisQuery } from './queries.ts'
import { Value } from './value.tsx'
import { useFigureWords } from './words.ts'

/** In display order, the most requested first. */
const FIGURES: readonly CurveMetric[] = ['views', 'reach', 'engagement', 'likes', 'comments', 'shares', 'saves']

/** Grid classes that keep all figures in one row on wider screens. */
const COLUMNS: Record<number, string> = { 5: 'sm:grid-cols-5', 6: 'sm:grid-cols-6' }

const Curve = lazy(() => import('../chart/curve.tsx'))

const PostTags = lazy(async () => {
  await tagTexts()
  return import('../../assistant/ai/post-tags.tsx')
})

/** Explains a post's performance: its totals, its curve against the median of its kind, and where it differs. */
export function PostAnalysisScreen({ id }: { id: string }) {
  const t = useTranslations('analytics')
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'getAnalyticsPost')
  const query = useQuery({ ...postAnalysisQuery(ws, id), enabled: !refused })
  const caption = query.data?.post.caption
  return (
    <Page
      title={caption?.slice(0, 60) || t('post')}
      heading={<bdi className="line-clamp-1">{caption || t('post')}</bdi>}
      up={
        <Link
          to="/w/$ws/analytics"
          params={{ ws }}
          search={{ tab: 'posts' }}
          aria-label={t('back')}
          className={buttonClass('ghost', 'icon')}
        >
          <ArrowLeft className="size-4 rtl:rotate-180" aria-hidden />
        </Link>
      }
      actions={query.data && <Ways post={query.data.post} />}
    >
      {refused ? (
        <Refused refused={refused} />
      ) : (
        <Loaded query={query} skeleton={<div className="skeleton m-6 h-64" aria-hidden />}>
          {(analysis) => <Analysis analysis={analysis} />}
        </Loaded>
      )}
    </Page>
  )
}

/** Says when the network last reported a figure that its last reading lacked. */
function LastKnown({ post, metric }: Pick<PostAnalysis, 'post'> & { metric: CurveMetric }) {
  const t = useTranslations('figures')
  const moment = useMoment()
  if (metric === 'engagement') return null
  const source = metric === 'views' ? (post.impressions === null ? 'videoViews' : 'impressions') : metric
  const known = post.knownAt[source]
  return known ? <span className="text-2xs text-warn">{t('knownAt', { time: moment(known, 'any') })}</span> : null
}

/** Links to the post, here and on its network. */
function Ways({ post: { postId, permalink, platform } }: Pick<PostAnalysis, 'post'>) {
  const t = useTranslations('analytics')
  const { ws } = usePlace()
  return (
    <>
      {postId !== null && (
        <Link to="/w/$ws/posts/$id" params={{ ws, id: postId }} className={buttonClass('secondary', 'sm')}>
          {t('openPost')}
        </Link>
      )}
      {permalink !== null && (
        <a href={permalink} target="_blank" rel="noreferrer" className={buttonClass('secondary', 'sm')}>
          <ExternalLink className="size-3.5" aria-hidden />
          {t('onNetwork', { network: NETWORKS[platform].short })}
        </a>
      )}
    </>
  )
}

function Analysis({ analysis }: { analysis: PostAnalysis }) {
  const t = useTranslations('analytics')
  const say = useFigureWords()
  const moment = useMoment()
  const { post, percentile, reasons } = analysis
  const [chosen, choose] = useState<CurveMetric>('views')
  const told = FIGURES.filter((metric) => post[metric] !== null)
  const figure = told.includes(chosen) ? chosen : (told[0] ?? null)
  const age = useAge()
  return (
    <div className="mx-auto grid w-full max-w-4xl grid-cols-[minmax(0,1fr)] content-start gap-4 p-4 lg:px-6">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-13">
        <span className="inline-flex items-center gap-2">
          <NetworkMark platform={post.platform} label small />
          <bdi>{post.accountName}</bdi>
        </span>
        <span className="text-muted">{t(`kinds.${post.kind}`)}</span>
        <span className="text-muted">{moment(post.publishedAt, 'any')}</span>
      </div>
      <Reading post={post} />
      <Ended post={post} />
      {post.postId !== null && (
        <Suspense fallback={<div className="skeleton h-5 w-40" aria-hidden />}>
          <PostTags id={post.postId} live />
        </Suspense>
      )}
      {figure !== null && (
        <section className="card overflow-hidden" aria-label={t('totals')}>
          <div
            role="group"
            aria-label={t('totals')}
            className={`-ms-px -mt-px grid grid-cols-2 ${COLUMNS[told.length] ?? 'sm:grid-cols-4'}`}
          >
            {told.map((metric) => (
              <div key={metric} className="relative grid border-s border-t">
                <button
                  type="button"
                  aria-pressed={metric === figure}
                  onClick={() => choose(metric)}
                  className="grid content-start gap-0.5 px-3 py-2.5 text-start -outline-offset-2! hover:bg-hover aria-pressed:bg-accent-soft"
                >
                  <span className="pe-8 text-xs text-muted">{t(`postFigures.${metric}`)}</span>
                  <span className="text-base font-semibold tabular-nums">
                    <Value of={post[metric]} say={say.whole} />
                  </span>
                  <LastKnown post={post} metric={metric} />
                </button>
                <About
                  className="absolute end-0 top-0"
                  name={t(`postFigures.${metric}`)}
                  basis="posts"
                  metrics={MADE_OF[metric]}
                  readAt={post.readAt}
                />
              </div>
            ))}
          </div>
          <Course key={figure} analysis={analysis} figure={figure} />
        </section>
      )}
      {post.readAt !== null && (
        <section aria-labelledby="differs" className="card grid gap-2 p-4">
          <h2 id="differs" className="text-13 font-semibold">
            {t('whyTitle')}
          </h2>
          {percentile && (
            <p className="text-13">
              {t('percentile', {
                which: percentile.value === 100 ? ('all' as const) : ('some' as const),
                percent: say.share(percentile.value / 100),
                count: percentile.n,
                age: age(percentile.ageHours),
              })}
            </p>
          )}
          {reasons.length > 0 ? (
            <ul className="grid gap-1 text-13">
              {reasons.map(({ metric, ratio, ageHours }) => (
                <li key={metric}>
                  {t('reason', { figure: t(`postFigures.${metric}`), times: say.times(ratio), age: age(ageHours) })}
                </li>
              ))}
            </ul>
          ) : (
            <p className="text-13 text-muted">{t(analysis.kindMedian.length > 0 ? 'noReasons' : 'tooFew')}</p>
          )}
        </section>
      )}
    </div>
  )
}

/** Formats an age. */
function useAge() {
  const t = useTranslations('analytics')
  return (hours: number) => t('ageOf', ageOf(hours))
}

const DAY_HOURS = 24

/** How one figure grew compared with the median of other posts: a sentence, and a chart or a table. */
function Course({ analysis: { post, curve, kindMedian }, figure }: { analysis: PostAnalysis; figure: CurveMetric }) {
  const t = useTranslations('analytics')
  const figures = useTranslations('figures')
  const format = useFormatter()
  const say = useFigureWords()
  const age = useAge()
  const { workspace } = usePlace()
  const [isTable, setTable] = useState(false)
  const points = useMemo((): (Point & { hours: number })[] => {
    const from = Date.parse(post.publishedAt)
    const at = (hours: number) => new Date(from + hours * 3_600_000).toISOString()
    const own = curve.map((reading) => ({ hours: reading.ageHours, value: reading[figure] }))
    const last = own.at(-1)?.hours ?? 0
    // Leave out the median at ages that the post has not reached yet.
    const others = kindMedian.filter(({ ageHours }) => ageHours <= last)
    const told = own.filter(({ value }) => value !== null)
    const [first] = told
    // If the first reading came late, a line from 0 would invent values for days without readings.
    const isFromStart = told.length > 1 && first !== undefined && first.hours <= DAY_HOURS
    const start = { hours: 0, value: isFromStart ? 0 : null, beside: others.length > 0 ? 0 : null }
    return [
      ...(isFromStart || others.length > 0 ? [start] : []),
      ...own.map(({ hours, value }) => ({ hours, value, beside: null })),
      ...others.map((median) => ({ hours: median.ageHours, value: null, beside: median[figure] })),
    ]
      .toSorted((a, b) => a.hours - b.hours)
      .map((point) => ({ ...point, at: at(point.hours) }))
  }, [post, curve, kindMedian, figure])
  const last = curve.findLast((reading) => reading[figure] !== null)
  const median = kindMedian.findLast(({ ageHours }) => last !== undefined && ageHours <= last.ageHours)
  if (!last) return null
  const spoken = (value: number | null | undefined) =>
    typeof value === 'number' ? say.whole(value) : figures('noneSpoken')
  const name = t(`postFigures.${figure}`)
  const sentence = [
    t('curve', { figure: name, value: spoken(last[figure]), age: age(last.ageHours) }),
    ...(median && median[figure] !== null
      ? [t('curveMedian', { count: median.n, median: spoken(median[figure]) })]
      : [t('tooFew')]),
    ...(curve.length === 1 ? [figures('oneReading')] : []),
  ].join(' ')
  const sayPoint = ({ at, value, beside }: Point) => {
    const hours = points.find((point) => point.at === at)?.hours ?? 0
    const parts = [
      ...(value === null ? [] : [`${t('legendPost')}: ${format.number(value)}`]),
      ...(typeof beside === 'number' ? [`${t('legendMedian')}: ${say.whole(beside)}`] : []),
    ]
    return `${age(hours)} · ${parts.join(' · ')}`
  }
  return (
    <figure className="grid grid-cols-[minmax(0,1fr)] gap-3 border-t p-4">
      <figcaption className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="min-w-0 grow basis-60 text-13">{sentence}</p>
        <Button size="sm" variant="ghost" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? <ChartLine className="size-3.5" aria-hidden /> : <Table2 className="size-3.5" aria-hidden />}
          {figures(isTable ? 'asChart' : 'asTable')}
        </Button>
      </figcaption>
      {isTable ? (
        <table className="w-full text-13 tabular-nums">
          <thead>
            <tr className="text-xs text-muted">
              <th scope="col" className="py-1.5 text-start font-medium">
                {t('ageColumn')}
              </th>
              <th scope="col" className="py-1.5 text-end font-medium">
                {t('legendPost')}
              </th>
              <th scope="col" className="py-1.5 text-end font-medium">
                {t('legendMedian')}
              </th>
            </tr>
          </thead>
          <tbody>
            {points
              .filter(({ hours }) => hours > 0)
              .map(({ at, hours, value, beside }) => (
                <tr key={`${at} ${value === null}`} className="border-t">
                  <th scope="row" className="py-1.5 text-start font-normal">
                    {age(hours)}
                  </th>
                  <td className="py-1.5 text-end font-medium">{value === null ? '' : say.whole(value)}</td>
                  <td className="py-1.5 text-end text-muted">{typeof beside === 'number' ? say.whole(beside) : ''}</td>
                </tr>
              ))}
          </tbody>
        </table>
      ) : (
        <Suspense fallback={<div className="skeleton h-55" aria-hidden />}>
          <Curve
            joined
            points={points}
            label={`${sentence} ${figures('keys')}`}
            timeZone={workspace.timezone}
            say={sayPoint}
          />
        </Suspense>
      )}
    </figure>
  )
}
