import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Lock, UserMinus } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Role } from '../../../../src/core/http/endpoint.ts'
import type { Member } from '../../../../src/team/workspaces/api.ts'
import { refuseAct } from '../../../../src/team/workspaces/rules.ts'
import { call } from '../../../client.ts'
import { ROLES } from '../../../labels.ts'
import { useProblemText } from '../../../problem.ts'
import { meQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { Select } from '../../../ui/select.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { DAY } from '../../../time.ts'

interface Props {
  member: Member
  own: boolean
  manages: boolean
  onTransfer: () => void
}

export function MemberRow({ member, own, manages, onTransfer }: Props) {
  const t = useTranslations('members')
  const roles = useTranslations('states.roles')
  const format = useFormatter()
  const text = useProblemText()
  const client = useQueryClient()
  const { ws, membership } = usePlace()
  const [asking, setAsking] = useState<Role | 'remove' | null>(null)
  const name = member.name || member.email || t('unnamed')
  const refreshWorkspace = () => client.invalidateQueries({ queryKey: [ws] })
  const params = { id: ws, userId: member.id }

  const change = useMutation({
    mutationFn: (role: Role) => call('updateMember', { workspace: ws, params, body: { role } }),
    onSuccess: ({ role }) => toast.success(t('roleChanged', { name, role: roles(role) })),
    onError: (error) => toast.error(text(error)),
    onSettled: async () => {
      setAsking(null)
      if (own) await client.invalidateQueries({ queryKey: meQuery.queryKey })
      await refreshWorkspace()
    },
  })
  const remove = useMutation({
    mutationFn: () => call('removeMember', { workspace: ws, params }),
    onSuccess: () => toast.success(t('removed', { name })),
    onError: (error) => toast.error(text(error)),
    onSettled: async () => {
      setAsking(null)
      await refreshWorkspace()
    },
  })

  const choices = ROLES.filter(
    (wanted) => !refuseAct({ actor: membership.role, target: member.role, wanted }) || wanted === member.role,
  )
  const locked = member.role === 'OWNER'
  const choose = (role: Role) => {
    if (role === 'OWNER') onTransfer()
    else if (own) setAsking(role)
    else change.mutate(role)
  }
  return (
    <tr className="max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:items-center max-sm:gap-x-3 max-sm:gap-y-1 max-sm:px-5 max-sm:py-3">
      <th scope="row" className="px-5 py-2.5 text-start font-normal max-sm:col-span-2 max-sm:p-0">
        <div className="flex min-w-0 items-center gap-3">
          <Avatar name={name} className="size-8" />
          <div className="min-w-0">
            <p className="text-13 font-medium break-words">
              <bdi>{name}</bdi>
              {own && <span className="ms-1.5 text-xs font-normal text-muted">{t('you')}</span>}
            </p>
            {member.name && member.email && (
              <p className="text-xs break-all text-muted">
                <bdi dir="ltr">{member.email}</bdi>
              </p>
            )}
          </div>
        </div>
      </th>
      <td className="px-2 py-2.5 text-13 max-sm:p-0">
        {manages && !locked ? (
          <Select
            aria-label={t('roleOf', { name })}
            className="min-w-32"
            value={member.role}
            options={choices.map((role) => [role, roles(role)])}
            disabled={change.isPending}
            onChange={choose}
          />
        ) : (
          <span className="inline-flex items-center gap-1.5">
            {roles(member.role)}
            {manages && (
              <span className="inline-flex items-center text-muted" title={t('ownerLocked')}>
                <Lock className="size-3.5" aria-hidden />
                <span className="sr-only">{t('ownerLocked')}</span>
              </span>
            )}
          </span>
        )}
      </td>
      <td className="px-2 py-2.5 text-xs text-muted max-sm:col-start-1 max-sm:row-start-3 max-sm:p-0">
        <span className="sm:hidden">{t('lastActive')}: </span>
        {member.lastActiveAt ? format.dateTime(new Date(member.lastActiveAt), DAY) : t('never')}
      </td>
      {manages && (
        <td className="py-2.5 pe-5 text-end max-sm:p-0">
          {!locked && !own && (
            <Button
              variant="ghost"
              size="icon"
              aria-label={t('removeNamed', { name })}
              title={t('removeNamed', { name })}
              onClick={() => setAsking('remove')}
            >
              <UserMinus className="size-4 rtl:-scale-x-100" aria-hidden />
            </Button>
          )}
          <Confirm
            open={asking === 'remove'}
            onOpenChange={() => setAsking(null)}
            title={t('removeTitle', { name })}
            description={t('removeBody')}
            action={t('remove')}
            danger
            busy={remove.isPending}
            onConfirm={() => remove.mutate()}
          />
          <Confirm
            open={asking !== null && asking !== 'remove'}
            onOpenChange={() => setAsking(null)}
            title={t('ownTitle')}
            description={t('ownBody', { role: roles(asking && asking !== 'remove' ? asking : member.role) })}
            action={t('ownChange')}
            danger
            busy={change.isPending}
            onConfirm={() => asking && asking !== 'remove' && change.mutate(asking)}
          />
        </td>
      )}
    </tr>
  )
}
