import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { AdminUser } from '../../../src/admin/api.ts'
import { Empty } from '../../ui/empty.tsx'
import { More } from '../../ui/more.tsx'
import { SelectField } from '../../ui/select.tsx'
import { Body, Cell, Head, Row, SearchForm, Seen, Table, useWhen } from './parts.tsx'
import { usersQuery } from './queries.ts'

/** All users of the service. */
export function UsersScreen() {
  const t = useTranslations('admin')
  const [text, setText] = useState<string>()
  const [disabled, setDisabled] = useState<'true' | 'false'>()
  const query = useInfiniteQuery(usersQuery({ text, disabled }))
  return (
    <Body>
      <SearchForm label={t('searchUsers')} onSearch={setText}>
        <SelectField
          label={t('state')}
          className="min-w-36"
          value={disabled ?? ''}
          options={[
            ['', t('all')],
            ['false', t('active')],
            ['true', t('disabled')],
          ]}
          onChange={(value) => setDisabled(value || undefined)}
        />
      </SearchForm>
      <Seen query={query}>
        {({ pages }) => {
          const users = pages.flatMap(({ data }) => data)
          if (users.length === 0) return <Empty icon={Users} title={t('noneFound')} />
          return (
            <>
              <Table label={t('users')} head={[t('user'), t('state'), t('workspaces'), t('since'), t('lastUsed')]}>
                {users.map((user) => (
                  <UserRow key={user.id} user={user} />
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

function UserRow({ user }: { user: AdminUser }) {
  const t = useTranslations('admin')
  const format = useFormatter()
  const when = useWhen()
  return (
    <Row>
      <Head>
        <Link
          to="/admin/users/$id"
          params={{ id: user.id }}
          className="inline-flex min-h-6 max-w-full items-center font-medium underline max-md:min-h-11 max-md:min-w-11 pointer-coarse:min-h-11 pointer-coarse:min-w-11"
        >
          <bdi className="break-all">{user.name || user.email || user.phone || user.id}</bdi>
        </Link>
        {[user.name && user.email, user.phone].filter(Boolean).map((line) => (
          <p key={line} className="text-xs break-all text-muted">
            <bdi dir="ltr">{line}</bdi>
          </p>
        ))}
      </Head>
      <Cell label={t('state')}>
        <UserState user={user} />
      </Cell>
      <Cell label={t('workspaces')}>{format.number(user.workspaces)}</Cell>
      <Cell label={t('since')}>{when(user.createdAt)}</Cell>
      <Cell label={t('lastUsed')}>{when(user.lastUsedAt)}</Cell>
    </Row>
  )
}

export function UserState({ user }: { user: Pick<AdminUser, 'disabledAt' | 'isSuperAdmin'> }) {
  const t = useTranslations('admin')
  if (user.disabledAt) return <span className="font-medium text-bad">{t('disabled')}</span>
  return <span>{user.isSuperAdmin ? t('superAdmin') : t('active')}</span>
}
