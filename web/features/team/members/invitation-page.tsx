import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { Profile } from '../../../../src/team/identity/api.ts'
import type { OpenInvitation } from '../../../../src/team/workspaces/api.ts'
import { maskEmail } from '../../../../src/team/workspaces/rules.ts'
import { call, isProblem } from '../../../client.ts'
import { browserZone } from '../../../i18n.tsx'
import { language } from '../../../language.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { meQuery } from '../../../queries.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { ErrorView } from '../../../ui/states.tsx'
import { AuthFrame } from '../auth/frame.tsx'
import { NewPasswordField } from '../auth/new-password-field.tsx'
import { useRegister, useSignOut } from '../auth/use-auth.ts'
import { invitationQuery } from './queries.ts'

/** An invitation, with the next step for the person who opens it. */
export function InvitationPage({ token, signedIn }: { token: string; signedIn: boolean }) {
  const invitation = useQuery(invitationQuery(token))
  const me = useQuery({ ...meQuery, enabled: signedIn })
  if (isProblem(invitation.error, 'not_found')) return <Over kind="unknown" />
  if (isProblem(invitation.error, 'invitation_expired')) return <Over kind="over" />
  if (invitation.error) return <ErrorView whole error={invitation.error} retry={() => void invitation.refetch()} />
  if (me.error) return <ErrorView whole error={me.error} retry={() => void me.refetch()} />
  if (!invitation.data || (signedIn && !me.data)) return <Waiting />
  const props = { token, invitation: invitation.data }
  return me.data ? <Accept {...props} me={me.data} /> : <Register {...props} />
}

const Waiting = () => (
  <div className="mx-auto grid w-full max-w-sm gap-4 px-5 py-24" aria-hidden>
    <div className="skeleton h-8" />
    <div className="skeleton h-5 w-48" />
    <div className="skeleton mt-4 h-10" />
    <div className="skeleton h-10" />
  </div>
)

/** Shown for an invitation that cannot be accepted. */
function Over({ kind }: { kind: 'unknown' | 'over' | 'member' }) {
  const t = useTranslations('invite')
  return (
    <AuthFrame title={t(`${kind}Title`)} lead={t(`${kind}Lead`)}>
      <Link to="/" className={buttonClass('primary', 'md', 'min-h-10')}>
        {t('home')}
      </Link>
    </AuthFrame>
  )
}

interface Props {
  token: string
  invitation: OpenInvitation
}

function Frame({ invitation, children }: { invitation: OpenInvitation; children: ReactNode }) {
  const t = useTranslations('invite')
  const roles = useTranslations('states.roles')
  const explain = useTranslations('members.explain')
  return (
    <AuthFrame
      title={t('title', { name: invitation.workspaceName })}
      lead={
        <>
          {t('lead', { role: roles(invitation.role) })} {invitation.role !== 'OWNER' && explain(invitation.role)}
        </>
      }
    >
      {children}
    </AuthFrame>
  )
}

function Accept({ token, invitation, me }: Props & { me: Profile }) {
  const t = useTranslations('invite')
  const text = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const signOut = useSignOut()
  const accept = useMutation({
    mutationFn: async () => {
      const joined = await call('acceptInvitation', { params: { token } })
      await client.fetchQuery({ ...meQuery, staleTime: 0 })
      return joined
    },
    onSuccess: (joined) => navigate({ to: '/w/$ws', params: { ws: joined.id } }),
  })
  const email = me.email ?? ''
  const { error } = accept
  if (isProblem(error, 'already_member')) return <Over kind="member" />
  if (isProblem(error, 'invitation_expired')) return <Over kind="over" />
  if (isProblem(error, 'not_found')) return <Over kind="unknown" />
  if (maskEmail(email) !== invitation.email || isProblem(error, 'invitation_for_other_address')) {
    const other = async () => {
      await signOut.mutateAsync()
      await navigate({ to: '/login', search: { to: `/invite/${token}` } })
    }
    return (
      <AuthFrame title={t('otherTitle')} lead={t('otherLead', { invited: invitation.email, email: email || me.name })}>
        <Button variant="primary" className="min-h-10" busy={signOut.isPending} onClick={() => void other()}>
          {t('otherAction')}
        </Button>
        <Link to="/" className={buttonClass('secondary', 'md', 'min-h-10')}>
          {t('home')}
        </Link>
      </AuthFrame>
    )
  }
  return (
    <Frame invitation={invitation}>
      {error && (
        <FormError>
          {isProblem(error, 'quota_exceeded')
            ? t('full')
            : isProblem(error, 'too_many_workspaces')
              ? t('ownsTooMany')
              : text(error)}
        </FormError>
      )}
      <p className="text-13 break-words text-muted">{t('signedInAs', { email })}</p>
      <Button variant="primary" className="min-h-10" busy={accept.isPending} onClick={() => accept.mutate()}>
        {t('accept')}
      </Button>
    </Frame>
  )
}

function Register({ token, invitation }: Props) {
  const t = useTranslations('invite')
  const auth = useTranslations('auth')
  const text = useProblemText()
  const register = useRegister()
  const fault = useFaults(register.error)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (register.error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [register.error])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (register.isPending) return
    const data = new FormData(event.currentTarget)
    const name = String(data.get('name')).trim()
    register.mutate({
      inviteToken: token,
      password: String(data.get('password')),
      ...(name ? { name } : {}),
      timezone: browserZone(),
      language: language.get(),
    })
  }
  const { error } = register
  if (isProblem(error, 'invitation_expired')) return <Over kind="over" />
  if (isProblem(error, 'not_found')) return <Over kind="unknown" />
  const signIn = {
    link: (chunks: ReactNode) => (
      <Link to="/login" search={{ to: `/invite/${token}` }} className="font-medium text-accent-text underline">
        {chunks}
      </Link>
    ),
  }
  const taken = isProblem(error, 'email_taken')
  const whole = error && !taken && !fault('/password') && !fault('/name')
  return (
    <Frame invitation={invitation}>
      <form ref={form} onSubmit={submit} className="grid gap-4">
        {whole && <FormError>{isProblem(error, 'quota_exceeded') ? t('full') : text(error)}</FormError>}
        <TextField
          label={t('address')}
          dir="ltr"
          readOnly
          value={invitation.email}
          className="bg-sunken"
          error={taken ? t.rich('emailTaken', signIn) : undefined}
        />
        <TextField label={auth('name')} name="name" autoComplete="name" maxLength={100} error={fault('/name')} />
        <NewPasswordField label={auth('password')} name="password" error={fault('/password')} />
        <Button type="submit" variant="primary" busy={register.isPending} className="mt-1 min-h-10">
          {t('join')}
        </Button>
      </form>
      <p className="text-13 text-muted">{t.rich('haveAccount', signIn)}</p>
    </Frame>
  )
}
