import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import type { WorkspaceInvitation } from '../../../../src/team/workspaces/api.ts'
import { refuseAct } from '../../../../src/team/workspaces/rules.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { RemoveButton } from '../../../ui/remove-button.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useInviteProblem } from './invite-form.tsx'
import { invitationsQuery } from './queries.ts'
import { DAY } from '../../../time.ts'

/** The open invitations. */
export function Pending() {
  const t = useTranslations('members')
  const { ws } = usePlace()
  const { data } = useQuery(invitationsQuery(ws))
  if (!data || data.length === 0) return null
  return (
    <section className="card grid grid-cols-[minmax(0,1fr)]">
      <h2 className="border-b px-5 py-3.5 text-sm font-semibold">{t('pending')}</h2>
      <ul className="divide-y">
        {data.map((invitation) => (
          <Row key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </section>
  )
}

function Row({ invitation: { id, email, role, invitedBy, expiresAt } }: { invitation: WorkspaceInvitation }) {
  const t = useTranslations('members')
  const roles = useTranslations('states.roles')
  const format = useFormatter()
  const text = useProblemText()
  const words = useInviteProblem()
  const client = useQueryClient()
  const { ws, membership } = usePlace()
  const options = { workspace: ws, params: { id: ws, invitationId: id } }
  const onSettled = () => client.invalidateQueries({ queryKey: [ws] })
  const resend = useMutation({
    mutationFn: () => call('resendInvitation', options),
    onSuccess: () => toast.success(t('resent', { email })),
    onError: (error) => toast.error(words(error)),
    onSettled,
  })
  const revoke = useMutation({
    mutationFn: () => call('revokeInvitation', options),
    onSuccess: () => toast.success(t('revoked', { email })),
    onError: (error) => toast.error(text(error)),
    onSettled,
  })
  const over = Date.parse(expiresAt) <= Date.now()
  const may = !refuseAct({ actor: membership.role, target: null, wanted: role })
  const as = { role: roles(role) }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-5 py-3">
      <div className="min-w-0 grow basis-48">
        <p className="text-13 font-medium break-all">
          <bdi dir="ltr">{email}</bdi>
        </p>
        <p className="text-xs text-muted">
          {invitedBy?.name ? t('invitedBy', { ...as, name: invitedBy.name }) : t('invitedAs', as)}
          {' · '}
          {over ? t('over') : t('until', { date: format.dateTime(new Date(expiresAt), DAY) })}
        </p>
      </div>
      {may && (
        <div className="flex gap-2">
          <Button
            size="sm"
            busy={resend.isPending}
            aria-label={t('resendTo', { email })}
            onClick={() => resend.mutate()}
          >
            {t('resend')}
          </Button>
          <RemoveButton
            label={t('revokeTo', { email })}
            variant="ghost"
            title={t('revokeTitle', { email })}
            description={t('revokeBody')}
            action={t('revoke')}
            busy={revoke.isPending}
            field="input[name=email]"
            onRemove={() => revoke.mutateAsync()}
          >
            {t('revoke')}
          </RemoveButton>
        </div>
      )}
    </li>
  )
}
