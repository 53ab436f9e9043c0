import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { ABTest } from '../../../../src/insights/ab-tests/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { accountsQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { NameDialog } from '../../../ui/name-dialog.tsx'
import { DetailPage } from '../../shell/detail-page.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { Blocks } from './blocks.tsx'
import { testQuery } from './queries.ts'
import { TestState } from './state.tsx'
import { Verdict } from './verdict.tsx'
import { useSlotName } from './words.ts'

/** One test: its conditions, its blocks and, once it has ended, its result. */
export function TestScreen({ id }: { id: string }) {
  const t = useTranslations('abTests')
  const { ws } = usePlace()
  return (
    <DetailPage
      operation="getABTest"
      query={testQuery(ws, id)}
      nameOf={({ name }) => name}
      title={t('title')}
      list={{ to: '/w/$ws/ab-tests', label: t('all') }}
      actions={(test) => <Acts test={test} />}
    >
      {(test) => (
        <>
          <div className="flex flex-wrap items-center gap-3">
            <TestState state={test.state} />
            <p className="min-w-0 grow basis-60 text-15 font-medium">
              <Verdict test={test} />
            </p>
          </div>
          <Conditions test={test} />
          <Blocks test={test} />
        </>
      )}
    </DetailPage>
  )
}

function Conditions({ test }: { test: ABTest }) {
  const t = useTranslations('abTests')
  const slotName = useSlotName()
  const { ws } = usePlace()
  const { data: accounts = [] } = useQuery(accountsQuery(ws))
  const account = accounts.find(({ id }) => id === test.accountId)?.name ?? ''
  const facts = [
    [t('variant', { variant: 'A' }), test.a],
    [t('variant', { variant: 'B' }), test.b],
    [t('account'), account],
    [t('kind'), t(`kinds.${test.kind}`)],
    [t('slot'), slotName(test.slot)],
  ]
  return (
    <dl className="card grid gap-x-6 gap-y-2 p-4 text-13 sm:grid-cols-3">
      {facts.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="break-words">
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Acts({ test }: { test: ABTest }) {
  const t = useTranslations('abTests')
  const problem = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { ws } = usePlace()
  const may = useMay('updateABTest')
  const [asking, setAsking] = useState<'rename' | 'start' | 'stop' | 'delete' | null>(null)
  const close = () => setAsking(null)
  const { id } = test
  const lacking = test.blocks.filter(({ first, second }) => first.postId === null || second.postId === null).length
  const changed = async () => {
    await client.invalidateQueries({ queryKey: [ws, 'ab-tests'] })
    close()
  }
  const start = useMutation({
    mutationFn: () => call('startABTest', { workspace: ws, params: { id } }),
    onSuccess: changed,
    onError: (error) => toast.error(problem(error)),
  })
  const rename = useMutation({
    mutationFn: (name: string) =>
      call('updateABTest', { workspace: ws, params: { id }, body: { name }, ifMatch: test.version }),
    onSuccess: changed,
  })
  const stop = useMutation({
    mutationFn: () => call('stopABTest', { workspace: ws, params: { id } }),
    onSuccess: changed,
  })
  const remove = useMutation({
    mutationFn: () => call('deleteABTest', { workspace: ws, params: { id } }),
    onSuccess: async () => {
      await navigate({ to: '/w/$ws/ab-tests', params: { ws } })
      await changed()
    },
  })
  if (may.hidden) return null
  return (
    <>
      <Button reason={may.reason} onClick={() => setAsking('rename')}>
        {t('rename')}
      </Button>
      {test.state === 'running' ? (
        <Button reason={may.reason} onClick={() => setAsking('stop')}>
          {t('stop')}
        </Button>
      ) : (
        <Button reason={may.reason} onClick={() => setAsking('delete')}>
          {t('delete')}
        </Button>
      )}
      {test.state === 'draft' && (
        <Button
          variant="primary"
          reason={may.reason}
          busy={start.isPending}
          onClick={() => (lacking > 0 ? setAsking('start') : start.mutate())}
        >
          {t('start')}
        </Button>
      )}
      {asking === 'rename' && (
        <NameDialog
          title={t('rename')}
          label={t('name')}
          missing={t('missing')}
          initial={test.name}
          busy={rename.isPending}
          error={rename.error && problem(rename.error)}
          onClose={close}
          onSave={(name) => rename.mutate(name.trim())}
        />
      )}
      <Confirm
        open={asking === 'start'}
        onOpenChange={(open) => !open && close()}
        title={t('startTitle', { name: test.name })}
        description={t('startBody', { lacking, blocks: test.blocks.length })}
        action={t('start')}
        busy={start.isPending}
        onConfirm={() => start.mutate()}
      />
      {(asking === 'stop' || asking === 'delete') && (
        <FormDialog
          title={t(`${asking}Title`, { name: test.name })}
          action={t(asking)}
          danger
          busy={stop.isPending || remove.isPending}
          error={(stop.error ?? remove.error) && problem(stop.error ?? remove.error)}
          onClose={close}
          onSubmit={() => (asking === 'stop' ? stop.mutate() : remove.mutate())}
        >
          <p className="text-13">{t(`${asking}Body`)}</p>
        </FormDialog>
      )}
    </>
  )
}
