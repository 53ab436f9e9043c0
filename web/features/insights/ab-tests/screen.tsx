import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FlaskConical, Plus, Share2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { ABTest } from '../../../../src/insights/ab-tests/api.ts'
import { accountsQuery } from '../../../queries.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { More } from '../../../ui/more.tsx'
import { Page } from '../../../ui/page.tsx'
import { Rows } from '../../../ui/row.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { InsightTabs } from '../tabs.tsx'
import { NewTestDialog } from './new-dialog.tsx'
import { testsQuery } from './queries.ts'
import { TestState } from './state.tsx'
import { Verdict } from './verdict.tsx'

/** The A/B tests of the workspace. */
export function TestsScreen() {
  const t = useTranslations('abTests')
  const { membership } = usePlace()
  const refused = refusal(membership, 'listABTests')
  return refused ? (
    <Page title={t('title')}>
      <Refused refused={refused} />
    </Page>
  ) : (
    <Screen />
  )
}

function Screen() {
  const t = useTranslations('abTests')
  const { ws } = usePlace()
  const may = useMay('createABTest')
  const query = useInfiniteQuery(testsQuery(ws))
  const accounts = useQuery(accountsQuery(ws))
  const [making, setMaking] = useState(false)
  const skeleton = <div className="skeleton mx-auto my-6 h-48 w-full max-w-4xl" aria-hidden />
  const usable = (accounts.data ?? []).filter(({ status }) => status !== 'DISCONNECTED')
  const add = !may.hidden && (
    <Button variant="primary" reason={may.reason} onClick={() => setMaking(true)}>
      <Plus className="size-4" aria-hidden />
      {t('new')}
    </Button>
  )
  return (
    <Page title={t('title')} actions={usable.length > 0 && add}>
      <InsightTabs current="tests" />
      <Loaded query={query} skeleton={skeleton}>
        {({ pages }) => {
          const tests = pages.flatMap(({ data }) => data)
          if (tests.length === 0)
            return (
              <Loaded query={accounts} skeleton={skeleton}>
                {() => (usable.length > 0 ? <None add={add} /> : <NoAccount />)}
              </Loaded>
            )
          return (
            <div className="mx-auto grid w-full max-w-4xl grid-cols-[minmax(0,1fr)] content-start gap-4 px-4 py-6 lg:px-6">
              <p className="text-13 text-muted">{t('lead')}</p>
              <Rows aria-label={t('title')}>
                {tests.map((test) => (
                  <Row key={test.id} test={test} />
                ))}
              </Rows>
              <More query={query} label={t('more')} />
            </div>
          )
        }}
      </Loaded>
      {making && <NewTestDialog accounts={usable} onClose={() => setMaking(false)} />}
    </Page>
  )
}

function Row({ test }: { test: ABTest }) {
  const { ws } = usePlace()
  return (
    <li className="flex min-h-(--row) flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 grow basis-60 text-13">
        <Link
          to="/w/$ws/ab-tests/$id"
          params={{ ws, id: test.id }}
          className="inline-flex min-h-6 max-w-full items-center font-medium break-words hover:underline max-sm:min-h-11 max-sm:min-w-11"
        >
          <bdi>{test.name}</bdi>
        </Link>
        <p className="text-xs text-muted">
          <Verdict test={test} />
        </p>
      </div>
      <TestState state={test.state} />
    </li>
  )
}

const None = ({ add }: { add: ReactNode }) => {
  const t = useTranslations('abTests')
  return (
    <Empty icon={FlaskConical} title={t('none')} actions={add}>
      {t('noneBody')}
    </Empty>
  )
}

function NoAccount() {
  const t = useTranslations('abTests')
  const { ws, membership } = usePlace()
  const connects = !refusal(membership, 'startConnection')
  return (
    <Empty
      icon={Share2}
      title={t('noAccount')}
      actions={
        connects && (
          <Link to="/w/$ws/accounts" params={{ ws }} className={buttonClass('primary')}>
            {t('connect')}
          </Link>
        )
      }
    >
      {t('noneBody')}
    </Empty>
  )
}
