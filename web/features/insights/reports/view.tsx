import { type ReactNode, useId, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { AnalyticsOverview } from '../../../../src/insights/analytics/api.ts'
import type { ReportFigures, ReportPost, SharedReport } from '../../../../src/insights/reports/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { NetworkMark } from '../../../ui/network.tsx'
import { useTagWords } from '../../assistant/ai/tag-words.ts'
import { Days } from '../analytics/days.tsx'
import { LeftOut } from '../analytics/left-out.tsx'
import { KeyFigures } from '../analytics/key-figures.tsx'
import { type Column, Ranked } from '../analytics/ranked.tsx'
import type { ChartFigure } from '../analytics/read-search.ts'
import { Value } from '../analytics/value.tsx'
import { useFigureWords } from '../analytics/words.ts'
import { useSlotWords } from '../predictions/words.ts'
import { type PaperColumn, PaperTable } from './paper-table.tsx'
import { useReportWords } from './words.ts'

interface Props {
  report: Pick<SharedReport, 'from' | 'to' | 'note' | 'figures'>
  timeZone: string
  /** When the figures were saved; null for current figures. */
  at: string | null
}

/** The content of a report: period, note and sections. In print, tables replace the charts. */
export function ReportView({ report: { from, to, note, figures }, timeZone, at }: Props) {
  const t = useTranslations('reports')
  const words = useTranslations('analytics')
  const say = useReportWords()
  const before = figures.overview?.previousPeriod
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <div className="grid gap-1">
        <p className="text-15 font-semibold">
          <bdi>{say.period(from, to)}</bdi>
        </p>
        {before && (
          <p className="text-13">
            {words('comparedWith', { days: `\u2068${say.period(before.from, before.to)}\u2069` })}
          </p>
        )}
        <p className="text-xs text-muted">
          {at === null ? t('asOfNow') : t('madeOn', { date: say.dayOf(at, timeZone) })}
        </p>
      </div>
      {note && (
        <p dir="auto" className="max-w-2xl text-13 break-words whitespace-pre-line">
          {note}
        </p>
      )}
      {figures.overview && <Overview overview={figures.overview} timeZone={timeZone} />}
      {figures.posts && <Posts posts={figures.posts} timeZone={timeZone} at={at} />}
      {figures.tags && <Tags tags={figures.tags} />}
      {figures.bestTimes && <BestTimes times={figures.bestTimes} />}
    </div>
  )
}

function Section({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 id={id} className="text-15 font-semibold">
        {title}
      </h2>
      {lead && <p className="text-xs text-muted">{lead}</p>}
      {children}
    </section>
  )
}

type AccountFigures = AnalyticsOverview['byAccount'][number]
type AccountKey = ChartFigure
const ACCOUNT_KEYS: readonly AccountKey[] = ['impressions', 'engagement', 'rate', 'followers']

function Overview({ overview, timeZone }: { overview: AnalyticsOverview; timeZone: string }) {
  const t = useTranslations('reports')
  const words = useTranslations('analytics')
  const say = useFigureWords()
  const [figure, setFigure] = useState<ChartFigure>('impressions')
  const [order, setOrder] = useState<AccountKey>('impressions')
  const { byAccount, basis } = overview
  const lead = useBasis(basis, timeZone)
  if (byAccount.length === 0)
    return (
      <Section title={t('section.overview')}>
        <p className="text-13 text-muted">{t('noFigures')}</p>
      </Section>
    )
  const columns = ACCOUNT_KEYS.map((key): Column<AccountFigures, AccountKey> => ({
    key,
    name: words(`figures.${key}`),
    isOrder: true,
    value: ({ totals }) => <Value of={totals[key].value} say={key === 'rate' ? say.share : say.whole} />,
  }))
  const rows = byAccount.toSorted((a, b) => (b.totals[order].value ?? -1) - (a.totals[order].value ?? -1))
  return (
    <>
      <Section title={t('section.overview')} lead={lead}>
        <div className="card overflow-hidden">
          <KeyFigures overview={overview} chosen={figure} onChoose={setFigure} />
          <LeftOut overview={overview} figures={[figure]} className="print:hidden" />
          <LeftOut overview={overview} figures={ON_PAPER} className="hidden print:flex" />
          <div className="print:hidden">
            <Days overview={overview} figure={figure} />
          </div>
        </div>
        <DaysOnPaper overview={overview} />
      </Section>
      {byAccount.length > 1 && (
        <Section title={t('perAccount')}>
          <div className="print:hidden">
            <Ranked
              label={t('perAccount')}
              first={words('account')}
              rows={rows}
              keyOf={({ accountId }) => accountId}
              head={(account) => <AccountHead {...account} />}
              columns={columns}
              order={order}
              onOrder={setOrder}
            />
          </div>
          <PaperTable
            first={words('account')}
            rows={rows}
            keyOf={({ accountId }) => accountId}
            head={({ name, platform }) => `${name} (${NETWORKS[platform].short})`}
            columns={columns}
          />
        </Section>
      )}
    </>
  )
}

/** How complete the data is, when it was read, and which days may still change. */
function useBasis({ coverage, readAt, provisionalDays }: AnalyticsOverview['basis'], timeZone: string): string {
  const t = useTranslations('reports')
  const words = useTranslations('analytics')
  const { share } = useFigureWords()
  const { days, time } = useReportWords()
  return [
    ...(coverage === null ? [] : [words('known', { share: share(coverage) })]),
    ...(readAt === null ? [] : [words('about.readAt', { time: time(readAt, timeZone) })]),
    ...(provisionalDays.length === 0 ? [] : [t('mayChange', { days: days(provisionalDays) })]),
  ].join(' ')
}

const AccountHead = ({ name, platform }: Pick<AccountFigures, 'name' | 'platform'>) => (
  <span className="flex min-w-0 items-center gap-2">
    <NetworkMark platform={platform} small />
    <bdi className="clip font-medium">{name}</bdi>
    <span className="shrink-0 text-xs font-normal text-muted">{NETWORKS[platform].short}</span>
  </span>
)

/** The figures that a printed report lists by day. */
const ON_PAPER = ['impressions', 'engagement', 'followers'] as const

function DaysOnPaper({ overview: { series } }: { overview: AnalyticsOverview }) {
  const figures = useTranslations('figures')
  const words = useTranslations('analytics')
  const say = useFigureWords()
  const columns = ON_PAPER.map((key): PaperColumn<(typeof series)[number]> => ({
    key,
    name: words(`figures.${key}`),
    value: (day) => <Value of={day[key]} say={say.whole} />,
  }))
  return (
    <PaperTable
      first={figures('day')}
      rows={series}
      keyOf={({ day }) => day}
      head={({ day }) => say.day(day)}
      columns={columns}
    />
  )
}

type PostKey = 'views' | 'engagement' | 'rate' | 'againstMedian'
const POST_KEYS: readonly PostKey[] = ['views', 'engagement', 'rate', 'againstMedian']

interface PostsProps {
  posts: NonNullable<ReportFigures['posts']>
  timeZone: string
  at: string | null
}

function Posts({ posts: { data, count, divisor }, timeZone, at }: PostsProps) {
  const t = useTranslations('reports')
  const words = useTranslations('analytics')
  const say = useFigureWords()
  const { dayOf } = useReportWords()
  const [order, setOrder] = useState<PostKey>('views')
  const saying = { views: say.whole, engagement: say.whole, rate: say.share, againstMedian: say.times }
  const name = (key: PostKey) =>
    key === 'againstMedian'
      ? words('againstMedian')
      : key === 'rate'
        ? divisor
          ? words(`rateOf.${divisor}`)
          : words('figures.rate')
        : words(`postFigures.${key}`)
  const columns = POST_KEYS.map((key): Column<ReportPost, PostKey> => ({
    key,
    name: name(key),
    isOrder: true,
    value: (post) => <Value of={post[key]} say={saying[key]} />,
  }))
  if (data.length === 0)
    return (
      <Section title={t('section.posts')}>
        <p className="text-13 text-muted">{words('noPosts')}</p>
      </Section>
    )
  const rows = data.toSorted((a, b) => (b[order] ?? -1) - (a[order] ?? -1))
  const keyOf = ({ publishedAt, accountName, caption }: ReportPost) => `${publishedAt} ${accountName} ${caption}`
  const now = at ?? new Date().toISOString()
  return (
    <Section title={t('section.posts')} lead={t('postsUntil', { count, date: dayOf(now, timeZone) })}>
      <div className="print:hidden">
        <Ranked
          label={t('section.posts')}
          first={words('post')}
          rows={rows}
          keyOf={keyOf}
          head={(post) => <PostHead post={post} timeZone={timeZone} />}
          columns={columns}
          order={order}
          onOrder={setOrder}
        />
      </div>
      <PaperTable
        first={words('post')}
        rows={rows}
        keyOf={keyOf}
        head={(post) => <PostHead post={post} timeZone={timeZone} />}
        columns={columns}
      />
    </Section>
  )
}

function PostHead({ post, timeZone }: { post: ReportPost; timeZone: string }) {
  const words = useTranslations('analytics')
  const format = useFormatter()
  const date = format.dateTime(new Date(post.publishedAt), { day: 'numeric', month: 'short', timeZone })
  const text = (
    <bdi dir="auto" className="clip font-medium">
      {post.caption || words('untitled')}
    </bdi>
  )
  return (
    <span className="grid min-w-0">
      {post.permalink ? (
        <a
          href={post.permalink}
          target="_blank"
          rel="noreferrer"
          className="grid min-h-6 min-w-0 items-center hover:underline max-sm:min-h-11"
        >
          {text}
        </a>
      ) : (
        text
      )}
      <span className="flex items-center gap-1.5 text-xs text-muted">
        <NetworkMark platform={post.platform} small />
        {NETWORKS[post.platform].short} · {words(`kinds.${post.kind}`)} · <bdi>{date}</bdi>
      </span>
    </span>
  )
}

function Tags({ tags }: { tags: NonNullable<ReportFigures['tags']> }) {
  const t = useTranslations('reports')
  const words = useTranslations('analytics')
  const [first] = tags
  const known = tags.filter(({ data }) => data.length > 0)
  return (
    <Section title={t('section.tags')} lead={t('tagsBody')}>
      {known.length === 0 && <p className="text-13 text-muted">{words('noPosts')}</p>}
      {known.map((group) => (
        <Groups key={group.by} {...group} />
      ))}
      {first !== undefined && first.leftOut > 0 && (
        <p className="text-xs text-muted">{words('leftOut', { count: first.leftOut })}</p>
      )}
    </Section>
  )
}

function Groups({ by, data }: NonNullable<ReportFigures['tags']>[number]) {
  const t = useTranslations('reports')
  const words = useTranslations('analytics')
  const say = useFigureWords()
  const ai = useTranslations('ai')
  const { topic, tone } = useTagWords()
  const names = { topic, tone, format: (value: string) => ai(`formats.${value as 'text'}`) }
  return (
    <table className="w-full text-13 tabular-nums">
      <thead>
        <tr className="text-xs text-muted">
          <th scope="col" className="py-2 text-start font-medium">
            {t(`by.${by}`)}
          </th>
          <th scope="col" className="py-2 ps-3 text-end font-medium">
            {words('tabs.posts')}
          </th>
          <th scope="col" className="py-2 ps-3 text-end font-medium">
            {t('againstUsual')}
          </th>
        </tr>
      </thead>
      <tbody>
        {data.map(({ value, n, estimate, isFew }) => (
          <tr key={value} className={isFew ? 'border-t text-muted' : 'border-t'}>
            <th scope="row" className="py-2 text-start font-normal break-words">
              <bdi>{names[by](value)}</bdi>
            </th>
            <td className="py-2 ps-3 text-end">{say.whole(n)}</td>
            <td className="py-2 ps-3 text-end">{isFew ? t('tooFew') : <bdi dir="ltr">{say.times(estimate)}</bdi>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function BestTimes({ times }: { times: NonNullable<ReportFigures['bestTimes']> }) {
  const t = useTranslations('reports')
  return (
    <Section title={t('section.bestTimes')} lead={t('bestTimesBody')}>
      {times.length === 0 ? (
        <p className="text-13 text-muted">{t('noFigures')}</p>
      ) : (
        <ul className="card grid grid-cols-[minmax(0,1fr)] divide-y text-13">
          {times.map((found) => (
            <li key={found.accountId} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2.5">
              <AccountHead name={found.accountName} platform={found.platform} />
              <Verdict found={found} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function Verdict({
  found: { verdict, have, need, slots },
}: {
  found: NonNullable<ReportFigures['bestTimes']>[number]
}) {
  const t = useTranslations('predictions')
  const say = useFigureWords()
  const slotWords = useSlotWords()
  if (verdict === 'too_little_data') return <span className="text-muted">{t('needed', { have, need })}</span>
  if (verdict === 'no_difference') return <span className="text-muted">{t('noDifference', { count: have })}</span>
  return slots.map(({ slot, ratio }) => (
    <span key={slot} className="rounded-md bg-sunken px-2 py-1 text-xs">
      {slotWords(slot)} <bdi dir="ltr">{say.times(ratio)}</bdi>
    </span>
  ))
}
