import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, Building2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { AdminUserDetails } from '../../../src/admin/api.ts'
import { call } from '../../client.ts'
import { useMaybe } from '../../i18n.tsx'
import { meQuery } from '../../queries.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Body, Cell, Head, Row, Seen, Table, useAdminProblem, useWhen } from './parts.tsx'
import { ADMIN, userQuery } from './queries.ts'
import { UserState } from './users.tsx'

/** One user: identity, workspaces, and whether they may sign in. */
export function UserScreen({ id }: { id: string }) {
  const t = useTranslations('admin')
  const query = useQuery(userQuery(id))
  return (
    <Body>
      <Link
        to="/admin"
        className="inline-flex min-h-6 items-center gap-1.5 justify-self-start text-13 text-muted hover:text-fg max-md:min-h-11 pointer-coarse:min-h-11"
      >
        <ArrowLeft className="size-4 rtl:rotate-180" aria-hidden />
        {t('users')}
      </Link>
      <Seen query={query}>{(user) => <Details user={user} />}</Seen>
    </Body>
  )
}

function Details({ user }: { user: AdminUserDetails }) {
  const t = useTranslations('admin')
  const roles = useTranslations('states.roles')
  const maybe = useMaybe()
  const format = useFormatter()
  const when = useWhen()
  const name = user.name || user.email || user.phone || user.id
  return (
    <>
      <section className="card grid grid-cols-[minmax(0,1fr)] gap-4 p-5" aria-labelledby="user-name">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h2 id="user-name" className="min-w-0 text-sm font-semibold break-words">
            <bdi>{name}</bdi>
          </h2>
          <Shut user={user} name={name} />
        </div>
        <dl className="grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-3 text-13 sm:grid-cols-2">
          <Fact label={t('email')}>
            <bdi dir="ltr">{user.email ?? '–'}</bdi>
          </Fact>
          <Fact label={t('phone')}>
            <bdi dir="ltr">{user.phone ?? '–'}</bdi>
          </Fact>
          <Fact label={t('state')}>
            <UserState user={user} />
          </Fact>
          <Fact label={t('since')}>{when(user.createdAt)}</Fact>
          <Fact label={t('lastUsed')}>{when(user.lastUsedAt, true)}</Fact>
          <Fact label={t('devices')}>{format.number(user.sessions)}</Fact>
        </dl>
      </section>
      {user.workspaces.length === 0 ? (
        <Empty icon={Building2} title={t('noWorkspaces')} />
      ) : (
        <Table label={t('workspaces')} head={[t('workspace'), t('role'), t('plan')]}>
          {user.workspaces.map((workspace) => (
            <Row key={workspace.id}>
              <Head>
                <bdi className="font-medium">{workspace.name}</bdi>
                {workspace.deletedAt && <p className="text-xs text-bad">{t('deleted')}</p>}
              </Head>
              <Cell label={t('role')}>{roles(workspace.role as 'OWNER')}</Cell>
              <Cell label={t('plan')}>{maybe(`states.plans.${workspace.plan}`, workspace.plan)}</Cell>
            </Row>
          ))}
        </Table>
      )}
    </>
  )
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-muted">{label}</dt>
    <dd className="break-all">{children}</dd>
  </div>
)

function Shut({ user, name }: { user: AdminUserDetails; name: string }) {
  const t = useTranslations('admin')
  const problem = useAdminProblem()
  const client = useQueryClient()
  const { data: me } = useQuery(meQuery)
  const [asking, setAsking] = useState(false)
  const disabled = user.disabledAt !== null
  const change = useMutation({
    mutationFn: () => call(disabled ? 'enableUser' : 'disableUser', { params: { id: user.id } }),
    onSuccess: (answer) => {
      client.setQueryData(userQuery(user.id).queryKey, answer)
      toast.success(t(disabled ? 'enabledNow' : 'disabledNow', { name }))
    },
    onError: async (error) => {
      toast.error(problem(error))
      await client.invalidateQueries({ queryKey: ADMIN })
    },
    onSettled: () => setAsking(false),
  })
  if (disabled)
    return (
      <Button busy={change.isPending} onClick={() => change.mutate()}>
        {t('enable')}
      </Button>
    )
  return (
    <>
      <Button reason={me?.id === user.id && t('notYourself')} onClick={() => setAsking(true)}>
        {t('disable')}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('disableTitle', { name })}
        description={t('disableBody')}
        action={t('disable')}
        danger
        busy={change.isPending}
        onConfirm={() => change.mutate()}
      />
    </>
  )
}
