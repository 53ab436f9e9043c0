import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { SearchX, UsersRound } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { AudienceNode } from '../../../../src/conversations/audience/api.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { More } from '../../../ui/more.tsx'
import { NetworkMarks } from '../../../ui/network.tsx'
import { Page } from '../../../ui/page.tsx'
import { Rows } from '../../../ui/row.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { Select } from '../../../ui/select.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useMoment } from '../../shell/moment.ts'
import { Refused } from '../../shell/refused.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { useLanguageName } from '../language.ts'
import { NotRead } from './not-read.tsx'
import { Pairs } from './pairs.tsx'
import { audienceQuery, pairsQuery, segmentQuery } from './queries.ts'
import { AUDIENCE_ORDERS, type AudienceSearch } from './search.ts'
import { useFilterSentence } from './sentence.ts'
import { AudienceTabs } from './tabs.tsx'
import { Score, Tags, useNodeName } from './words.tsx'

/** The customers of the workspace, most engaged first by default. */
export function AudienceScreen({ search }: { search: AudienceSearch }) {
  const t = useTranslations('audience')
  const { membership } = usePlace()
  const refused = refusal(membership, 'listAudience')
  return refused ? (
    <Page title={t('title')}>
      <Refused refused={refused} />
    </Page>
  ) : (
    <Screen search={search} />
  )
}

function Screen({ search }: { search: AudienceSearch }) {
  const t = useTranslations('audience')
  const navigate = useNavigate()
  const { ws } = usePlace()
  const query = useInfiniteQuery(audienceQuery(ws, search))
  const go = (next: AudienceSearch) =>
    void navigate({ to: '/w/$ws/audience', params: { ws }, search: next, replace: true })
  const customers = query.data?.pages.flatMap(({ data }) => data)
  const known = new Set([...(search.tag ? [search.tag] : []), ...(customers ?? []).flatMap(({ tags }) => tags)])
  const tags = [...known].toSorted((a, b) => a.localeCompare(b))
  return (
    <Page
      title={t('title')}
      actions={
        <>
          <SearchField
            label={t('search')}
            value={search.text ?? ''}
            onChange={(text) => go({ ...search, text: text || undefined })}
          />
          {tags.length > 0 && (
            <Select
              aria-label={t('tag')}
              className="w-40"
              value={search.tag ?? ''}
              options={[['', t('anyTag')] as const, ...tags.map((tag) => [tag, tag] as const)]}
              onChange={(tag) => go({ ...search, tag: tag || undefined })}
            />
          )}
          <Select
            aria-label={t('sort')}
            className="w-44"
            value={search.order ?? 'engagement'}
            options={AUDIENCE_ORDERS.map((one) => [one, t(`sorts.${one}`)] as const)}
            onChange={(order) => go({ ...search, order })}
          />
        </>
      }
    >
      <AudienceTabs current="customers" />
      <Loaded query={query} skeleton={<Skeleton />}>
        {() =>
          customers?.length === 0 ? (
            <None filtered={Boolean(search.text ?? search.tag ?? search.segment)} onClear={() => go({})} />
          ) : (
            <div className="mx-auto grid w-full max-w-4xl grid-cols-[minmax(0,1fr)] content-start gap-4 px-4 py-6 lg:px-6">
              {search.segment ? <InSegment id={search.segment} /> : <LikelyPairs />}
              <p className="text-13 text-muted">{t('lead')}</p>
              <Rows aria-label={t('title')}>
                {customers?.map((one) => (
                  <Row key={one.id} customer={one} />
                ))}
              </Rows>
              <More query={query} label={t('more')} />
            </div>
          )
        }
      </Loaded>
    </Page>
  )
}

const Skeleton = () => (
  <div className="mx-auto grid w-full max-w-4xl gap-4 px-4 py-6 lg:px-6" aria-hidden>
    <div className="skeleton h-5 max-w-md" />
    <div className="skeleton h-48" />
  </div>
)

function None({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const t = useTranslations('audience')
  const { ws } = usePlace()
  if (filtered)
    return (
      <Empty
        icon={SearchX}
        title={t('noMatch')}
        role="status"
        actions={<Button onClick={onClear}>{t('clear')}</Button>}
      />
    )
  return (
    <Empty
      icon={UsersRound}
      title={t('none')}
      actions={
        <Link to="/w/$ws/accounts" params={{ ws }} className={buttonClass('primary')}>
          {t('connect')}
        </Link>
      }
    >
      {t('noneBody')}
    </Empty>
  )
}

function Row({ customer }: { customer: AudienceNode }) {
  const t = useTranslations('audience')
  const name = useNodeName()(customer)
  const languages = useLanguageName()
  const moment = useMoment()
  const { ws } = usePlace()
  const { id, username, language, lastSeen, platforms, tags, engagement } = customer
  return (
    <li className="flex min-h-(--row) flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="grid min-w-0 grow basis-60 grid-cols-[minmax(0,1fr)] justify-items-start gap-1 text-13">
        <Link
          to="/w/$ws/audience/$id"
          params={{ ws, id }}
          className="inline-flex min-h-6 max-w-full min-w-6 items-center font-medium break-words hover:underline max-sm:min-h-11 max-sm:min-w-11"
        >
          <bdi>{name}</bdi>
        </Link>
        <p className="flex max-w-full flex-wrap gap-x-3 text-xs text-muted">
          {username && username !== name && (
            <bdi dir="ltr" className="break-all">
              @{username}
            </bdi>
          )}
          {language && <span>{languages(language)}</span>}
          {lastSeen && <span>{t('lastSeen', { time: moment(lastSeen) })}</span>}
        </p>
        <Tags tags={tags} />
      </div>
      <NetworkMarks platforms={platforms} />
      <Score value={engagement} />
    </li>
  )
}

/** The segment whose customers are shown, with a link back to all customers. */
function InSegment({ id }: { id: string }) {
  const t = useTranslations('audience')
  const sentence = useFilterSentence()
  const { ws } = usePlace()
  const query = useQuery(segmentQuery(ws, id))
  const { data } = query
  if (!data) return query.isError ? <NotRead query={query} /> : null
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg bg-sunken px-3 py-2 text-13">
      <span className="min-w-0 grow basis-60 break-words">
        <bdi className="font-medium">{data.name}</bdi> · {sentence(data.filter)}
      </span>
      <Link
        to="/w/$ws/audience"
        params={{ ws }}
        className="inline-flex min-h-6 items-center font-medium underline max-sm:min-h-11 max-sm:min-w-11"
      >
        {t('all')}
      </Link>
    </p>
  )
}

/** Customers who may be the same person, collapsed at first. */
function LikelyPairs() {
  const t = useTranslations('audience')
  const { ws, membership } = usePlace()
  const query = useQuery({ ...pairsQuery(ws), enabled: !refusal(membership, 'listPairs') })
  const { data: pairs = [] } = query
  if (query.isLoadingError) return <NotRead query={query}>{t('pairs.notRead')}</NotRead>
  if (pairs.length === 0) return null
  return (
    <details className="grid gap-2">
      <summary className="min-h-6 cursor-pointer text-13 font-medium max-sm:min-h-11">
        {t('pairs.found', { count: pairs.length })}
      </summary>
      <div className="pt-2">
        <Pairs pairs={pairs} />
      </div>
    </details>
  )
}
