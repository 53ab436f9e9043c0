import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Building2 } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { AdminWorkspace } from '../../../src/admin/api.ts'
import { call } from '../../client.ts'
import { useMaybe } from '../../i18n.tsx'
import { toast } from '../../toast.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { More } from '../../ui/more.tsx'
import { Select, SelectField } from '../../ui/select.tsx'
import { Body, Cell, Head, Row, SearchForm, Seen, Table, useAdminProblem, useWhen } from './parts.tsx'
import { ADMIN, allPlansQuery, workspacesQuery } from './queries.ts'

/** All workspaces of the service, each with its plan. */
export function WorkspacesScreen() {
  const t = useTranslations('admin')
  const maybe = useMaybe()
  const [text, setText] = useState<string>()
  const [plan, setPlan] = useState('')
  const query = useInfiniteQuery(workspacesQuery({ text, plan: plan || undefined }))
  const { data: known } = useQuery(allPlansQuery)
  const plans = known?.data.map(({ id }) => id) ?? []
  return (
    <Body>
      <SearchForm label={t('searchWorkspaces')} onSearch={setText}>
        <SelectField
          label={t('plan')}
          className="min-w-36"
          value={plan}
          options={[['', t('all')], ...plans.map((id) => [id, maybe(`states.plans.${id}`, id)] as const)]}
          onChange={setPlan}
        />
      </SearchForm>
      <Seen query={query}>
        {({ pages }) => {
          const workspaces = pages.flatMap(({ data }) => data)
          if (workspaces.length === 0) return <Empty icon={Building2} title={t('noneFound')} />
          return (
            <>
              <Table
                label={t('workspaces')}
                head={[t('workspace'), t('plan'), t('members'), t('postsThisMonth'), t('since')]}
              >
                {workspaces.map((workspace) => (
                  <WorkspaceRow key={workspace.id} workspace={workspace} plans={plans} />
                ))}
              </Table>
              <More query={query} label={t('more')} />
            </>
          )
        }}
      </Seen>
    </Body>
  )
}

function WorkspaceRow({ workspace, plans }: { workspace: AdminWorkspace; plans: string[] }) {
  const t = useTranslations('admin')
  const maybe = useMaybe()
  const format = useFormatter()
  const when = useWhen()
  const problem = useAdminProblem()
  const client = useQueryClient()
  const [wanted, setWanted] = useState<string | null>(null)
  const { id, name, plan } = workspace
  const planName = (one: string) => maybe(`states.plans.${one}`, one)
  const give = useMutation({
    mutationFn: (one: string) => call('giveSubscription', { params: { id }, body: { plan: one } }),
    onSuccess: (answer) => toast.success(t('planGiven', { name, plan: planName(answer.plan) })),
    onError: (error) => toast.error(problem(error)),
    onSettled: async () => {
      setWanted(null)
      await client.invalidateQueries({ queryKey: [...ADMIN, 'workspaces'] })
    },
  })
  return (
    <Row>
      <Head>
        <bdi className="font-medium">{name}</bdi>
        {workspace.deletedAt && (
          <p className="text-xs text-bad">{t('deletedOn', { date: when(workspace.deletedAt) })}</p>
        )}
      </Head>
      <Cell>
        {workspace.deletedAt ? (
          planName(plan)
        ) : (
          <Select
            aria-label={t('planOf', { name })}
            className="min-w-32 max-md:min-h-11"
            value={plan}
            options={(plans.length > 0 ? plans : [plan]).map((one) => [one, planName(one)])}
            disabled={give.isPending}
            onChange={setWanted}
          />
        )}
        <Confirm
          open={wanted !== null}
          onOpenChange={() => setWanted(null)}
          title={t('giveTitle', { name, plan: planName(wanted ?? plan) })}
          description={t('giveBody')}
          action={t('give')}
          busy={give.isPending}
          onConfirm={() => wanted && give.mutate(wanted)}
        />
      </Cell>
      <Cell label={t('members')}>{format.number(workspace.members)}</Cell>
      <Cell label={t('postsThisMonth')}>{format.number(workspace.postsThisMonth)}</Cell>
      <Cell label={t('since')}>{when(workspace.createdAt)}</Cell>
    </Row>
  )
}
