import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus, Scale, Share2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Competitor, CompetitorComparison } from '../../../../src/insights/competitors/api.ts'
import { networks } from '../../../../src/networks/rules.ts'
import { NETWORKS } from '../../../labels.ts'
import { accountsQuery } from '../../../queries.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { Select } from '../../../ui/select.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useMoment } from '../../shell/moment.ts'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { InsightTabs } from '../tabs.tsx'
import { AddDialog } from './add-dialog.tsx'
import { daysOf } from './days.ts'
import { comparisonQuery, competitorsQuery, type Days } from './queries.ts'
import { type CompetitorsSearch, PERIODS, type CompetitorDays } from './search.ts'
import { placeOf } from './sentence.ts'
import { useNow } from '../../../now.ts'
import { Sides } from './sides.tsx'

const USUAL: CompetitorDays = 28

/** Compares an account of the workspace with its competitors. */
export function CompetitorsScreen({ search }: { search: CompetitorsSearch }) {
  const t = useTranslations('competitors')
  const { membership } = usePlace()
  const refused = refusal(membership, 'listCompetitors')
  return refused ? (
    <Page title={t('title')}>
      <Refused refused={refused} />
    </Page>
  ) : (
    <Screen search={search} />
  )
}

function Screen({ search }: { search: CompetitorsSearch }) {
  const t = useTranslations('competitors')
  const navigate = useNavigate()
  const { ws } = usePlace()
  const may = useMay('addCompetitor')
  const accounts = useQuery(accountsQuery(ws))
  const [adding, setAdding] = useState(false)
  const asking = (accounts.data ?? []).filter(
    ({ platform, status }) => networks[platform].showsOthers && status !== 'DISCONNECTED',
  )
  const account = asking.find(({ id }) => id === search.account) ?? asking[0]
  const period = search.days ?? USUAL
  const go = (change: CompetitorsSearch) =>
    void navigate({ to: '/w/$ws/competitors', params: { ws }, search: { ...search, ...change }, replace: true })
  const add = account && !may.hidden && (
    <Button variant="primary" reason={may.reason} onClick={() => setAdding(true)}>
      <Plus className="size-4" aria-hidden />
      {t('add')}
    </Button>
  )
  return (
    <Page
      title={t('title')}
      actions={
        account && (
          <>
            {asking.length > 1 && (
              <Select
                aria-label={t('account')}
                className="w-48"
                value={account.id}
                options={asking.map(({ id, name }) => [id, name] as const)}
                onChange={(id) => go({ account: id })}
              />
            )}
            <Select
              aria-label={t('period')}
              className="w-40"
              value={String(period)}
              options={PERIODS.map((days) => [String(days), t('lastDays', { days })] as const)}
              onChange={(days) => go({ days: Number(days) as CompetitorDays })}
            />
            {add}
          </>
        )
      }
    >
      <InsightTabs current="competitors" />
      <Loaded query={accounts} skeleton={<Skeleton />}>
        {() => (account ? <Compared account={account} period={period} add={add} /> : <NoAccount />)}
      </Loaded>
      {adding && account && <AddDialog account={account} onClose={() => setAdding(false)} />}
    </Page>
  )
}

const Skeleton = () => (
  <div className="mx-auto grid w-full max-w-4xl gap-4 px-4 py-6 lg:px-6" aria-hidden>
    <div className="skeleton h-5 max-w-md" />
    <div className="skeleton h-48" />
  </div>
)

/** The names of the networks that let apps look up other accounts. */
const SHOWING = (Object.keys(networks) as (keyof typeof networks)[]).filter((one) => networks[one].showsOthers)

function NoAccount() {
  const t = useTranslations('competitors')
  const format = useFormatter()
  const { ws, membership } = usePlace()
  const connects = !refusal(membership, 'startConnection')
  const names = format.list(SHOWING.map((one) => NETWORKS[one].name))
  return (
    <Empty
      icon={Share2}
      title={t('noAccount', { network: names })}
      actions={
        connects && (
          <Link to="/w/$ws/accounts" params={{ ws }} className={buttonClass('primary')}>
            {t('connect')}
          </Link>
        )
      }
    >
      {t('noAccountBody', { network: names })}
    </Empty>
  )
}

interface ComparedProps {
  account: SocialAccount
  period: CompetitorDays
  add: ReactNode
}

function Compared({ account, period, add }: ComparedProps) {
  const t = useTranslations('competitors')
  const { ws, workspace } = usePlace()
  const now = useNow(600_000)
  const days = daysOf(now, period, workspace.timezone)
  const list = useQuery(competitorsQuery(ws))
  const comparison = useQuery({ ...comparisonQuery(ws, account.id, days), enabled: (list.data?.length ?? 0) > 0 })
  return (
    <Loaded query={list} skeleton={<Skeleton />}>
      {(all) => {
        const shown = all.filter(({ accountId }) => accountId === account.id)
        if (shown.length === 0)
          return (
            <Empty icon={Scale} title={t('none')} actions={add}>
              {t('noneBody')}
            </Empty>
          )
        return (
          <Loaded query={comparison} skeleton={<Skeleton />}>
            {(compared) => <Comparison compared={compared} competitors={shown} days={days} account={account} />}
          </Loaded>
        )
      }}
    </Loaded>
  )
}

interface ComparisonProps {
  compared: CompetitorComparison
  competitors: Competitor[]
  days: Days
  account: SocialAccount
}

function Comparison({ compared, competitors, days, account }: ComparisonProps) {
  const t = useTranslations('competitors')
  const format = useFormatter()
  const moment = useMoment()
  const place = placeOf(compared)
  const { readAt, nextAt } = compared.basis
  return (
    <div className="mx-auto grid w-full max-w-4xl grid-cols-[minmax(0,1fr)] content-start gap-4 px-4 py-6 lg:px-6">
      <p className="text-15 font-medium">{place ? t('placed', { ...place, name: account.name }) : t('tooLittle')}</p>
      <Sides compared={compared} competitors={competitors} days={days} />
      <div className="grid gap-1 text-xs text-muted">
        <p>{t('basis')}</p>
        <p className="flex flex-wrap gap-x-3">
          {readAt && <span>{t('readAt', { time: moment(readAt) })}</span>}
          {nextAt && <span>{t('nextAt', { time: moment(nextAt) })}</span>}
          {compared.basis.coverage < 1 && (
            <span>{t('coverage', { share: format.number(compared.basis.coverage, { style: 'percent' }) })}</span>
          )}
        </p>
      </div>
    </div>
  )
}
