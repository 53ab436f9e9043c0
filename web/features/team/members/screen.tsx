import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Member } from '../../../../src/team/workspaces/api.ts'
import { meQuery } from '../../../queries.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { More } from '../../../ui/more.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { InviteForm } from './invite-form.tsx'
import { Leave } from './leave.tsx'
import { MemberRow } from './member-row.tsx'
import { Pending } from './pending.tsx'
import { Transfer } from './transfer.tsx'
import { membersQuery } from './queries.ts'

/** The members of the workspace. People with permission can invite and remove members. */
export function MembersScreen() {
  const t = useTranslations('members')
  const { ws, membership } = usePlace()
  const { data: me } = useQuery(meQuery)
  const query = useInfiniteQuery(membersQuery(ws))
  const manages = !useMay('inviteMember').hidden
  const owns = membership.role === 'OWNER'
  const [heir, setHeir] = useState<string | null>(null)
  return (
    <div className="settings-column gap-6">
      {manages && <InviteForm />}
      <section className="card grid min-w-0 grid-cols-[minmax(0,1fr)]">
        <h2 className="border-b px-5 py-3.5 text-sm font-semibold">{t('title')}</h2>
        <Loaded query={query} skeleton={<RowsSkeleton />}>
          {({ pages }) => {
            const all = pages.flatMap((page) => page.data)
            const members = all.filter((one): one is Member => one.id !== null)
            return (
              <>
                {members.length > 0 ? (
                  <table className="w-full max-sm:block">
                    <thead className="border-b text-start text-xs text-muted max-sm:sr-only">
                      <tr>
                        <th scope="col" className="px-5 py-2 text-start font-medium">
                          {t('name')}
                        </th>
                        <th scope="col" className="px-2 py-2 text-start font-medium">
                          {t('role')}
                        </th>
                        <th scope="col" className="px-2 py-2 text-start font-medium">
                          {t('lastActive')}
                        </th>
                        {manages && (
                          <td className="pe-5">
                            <span className="sr-only">{t('remove')}</span>
                          </td>
                        )}
                      </tr>
                    </thead>
                    <tbody className="divide-y max-sm:block">
                      {members.map((member) => (
                        <MemberRow
                          key={member.id}
                          member={member}
                          own={member.id === me?.id}
                          manages={manages}
                          onTransfer={() => setHeir(member.id)}
                        />
                      ))}
                    </tbody>
                  </table>
                ) : (
                  <Names names={all.map(({ name }) => name)} />
                )}
                <More query={query} label={t('more')} className="flex justify-center border-t p-3" />
                {owns && <Transfer members={members} heir={heir} onHeir={setHeir} />}
              </>
            )
          }}
        </Loaded>
      </section>
      {manages && <Pending />}
      {me && <Leave me={me} />}
    </div>
  )
}

/** All that a CLIENT sees of the other members. */
function Names({ names }: { names: string[] }) {
  const t = useTranslations('members')
  return (
    <ul className="divide-y">
      {names.map((name, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- names are all there is, and may be alike
        <li key={index} className="flex items-center gap-3 px-5 py-3">
          <Avatar name={name} className="size-8" />
          <bdi className="min-w-0 text-13 font-medium break-words">{name || t('unnamed')}</bdi>
        </li>
      ))}
    </ul>
  )
}

const RowsSkeleton = () => (
  <div className="grid gap-3 p-5" aria-hidden>
    <div className="skeleton h-9" />
    <div className="skeleton h-9" />
    <div className="skeleton h-9" />
  </div>
)
