import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Role } from '../../../../src/core/http/endpoint.ts'
import { refuseAct } from '../../../../src/team/workspaces/rules.ts'
import { call, isProblem } from '../../../client.ts'
import { ROLES } from '../../../labels.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { usageQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { Meter, toneOf } from '../../../ui/meter.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { PlanLink } from '../plan/plan-link.tsx'
import { invitationsQuery } from './queries.ts'

/** Returns why an invitation was refused, as text. */
export function useInviteProblem() {
  const t = useTranslations('members')
  const text = useProblemText()
  return (error: unknown): string => {
    if (isProblem(error, 'invalid_state') && error.problem['current'] === 'unconfirmed') return t('confirmFirst')
    if (isProblem(error, 'quota_exceeded')) return t('seatsFull')
    if (isProblem(error, 'rate_limited')) return t('tooMany')
    return text(error)
  }
}

/** Invites a person by email, and shows the seats left. */
export function InviteForm() {
  const t = useTranslations('members')
  const roles = useTranslations('states.roles')
  const words = useInviteProblem()
  const client = useQueryClient()
  const { ws, membership } = usePlace()
  const form = useRef<HTMLFormElement>(null)
  const [role, setRole] = useState<Role>('EDITOR')
  const seats = useSeats()
  const invite = useMutation({
    mutationFn: (email: string) => call('inviteMember', { workspace: ws, params: { id: ws }, body: { email, role } }),
    onSuccess: ({ email }) => {
      form.current?.reset()
      const renewed = client.getQueryData(invitationsQuery(ws).queryKey)?.some((one) => one.email === email)
      toast.success(renewed ? t('renewed', { email, role: roles(role) }) : t('sent', { email }))
    },
    onSettled: () => client.invalidateQueries({ queryKey: [ws] }),
  })
  const fault = useFaults(invite.error)
  const refused = isProblem(invite.error, 'quota_exceeded')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!invite.isPending && !seats?.full) invite.mutate(String(new FormData(event.currentTarget).get('email')))
  }
  const choices = ROLES.filter((wanted) => !refuseAct({ actor: membership.role, target: null, wanted }))
  return (
    <form ref={form} onSubmit={submit} className="card grid gap-4 p-5">
      <h2 className="text-sm font-semibold">{t('invite')}</h2>
      {invite.error && !fault('/email') && (
        <FormError>
          {words(invite.error)} {refused && <PlanLink quota="members" />}
        </FormError>
      )}
      <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_12rem]">
        <TextField
          label={t('email')}
          name="email"
          type="email"
          autoComplete="off"
          required
          maxLength={254}
          dir="ltr"
          error={fault('/email')}
        />
        <SelectField
          label={t('role')}
          value={role}
          options={choices.map((one) => [one, roles(one)])}
          onChange={setRole}
        />
      </div>
      <p className="text-xs text-muted" role="status">
        {t(`explain.${role}`)}
      </p>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <Button type="submit" variant="primary" busy={invite.isPending} reason={seats?.full ? t('seatsFull') : null}>
          {t('send')}
        </Button>
        {seats && <Seats {...seats} />}
      </div>
      {seats?.full && !refused && (
        <p className="text-13 text-bad">
          {t('seatsFull')} <PlanLink quota="members" />
        </p>
      )}
    </form>
  )
}

/** The used and total seats, including open invitations; null if seats are unlimited. */
function useSeats() {
  const { ws } = usePlace()
  const usage = useQuery(usageQuery(ws)).data?.find(({ quota }) => quota === 'members')
  const invitations = useQuery(invitationsQuery(ws)).data ?? []
  if (!usage || usage.limit === null) return null
  const open = invitations.filter(({ expiresAt }) => Date.parse(expiresAt) > Date.now()).length
  return { used: usage.used, limit: usage.limit, open: open > 0, full: usage.used >= usage.limit }
}

function Seats({ used, limit, open }: { used: number; limit: number; open: boolean }) {
  const t = useTranslations('members')
  const words = t(open ? 'seatsOpen' : 'seatsUsed', { used, limit })
  return (
    <div className="grid min-w-48 grow gap-1 sm:max-w-72">
      <Meter label={t('seats')} value={used} max={limit} text={words} tone={toneOf(used, limit)} />
      <p className="text-xs text-muted">{words}</p>
    </div>
  )
}
