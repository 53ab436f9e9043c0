import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { SignInMethods } from '../../../../src/team/identity/api.ts'
import { call, isProblem } from '../../../client.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { FormError } from '../../../ui/field.tsx'
import { methodsQuery } from './methods.ts'
import { ErrorView } from '../../../ui/states.tsx'
import { PasswordField } from '../auth/password-field.tsx'
import { isProvider, PROVIDERS } from '../auth/provider-names.ts'
import { ProviderError, useJoin, useProviders } from '../auth/providers.tsx'
import { DAY } from '../../../time.ts'

/** The outcome of returning from a provider. */
export interface CameBack {
  error?: string
  provider?: string
  joined?: string
}

type Identity = SignInMethods['identities'][number]

/** Shows the outcome. At the top, because the page opens with it. */
export function News({ error, provider, joined }: CameBack) {
  const t = useTranslations('profile')
  const { data } = useQuery(methodsQuery)
  if (error) return <ProviderError error={error} provider={provider} />
  // Once the provider is removed, the message no longer holds.
  const there = data?.identities.some(({ provider: one }) => one === joined) ?? true
  if (!joined || !isProvider(joined) || !there) return null
  return (
    <p role="status" className="rounded-md bg-ok-soft px-3 py-2.5 text-13 text-ok">
      {t('joined', { name: PROVIDERS[joined].name })}
    </p>
  )
}

/** The sign-in methods of the account, including codes to a confirmed `email`. Links and unlinks providers. */
export function WaysIn({ email }: { email: string | null }) {
  const t = useTranslations('profile')
  const text = useProblemText()
  const query = useQuery(methodsQuery)
  const join = useJoin('/app/me')
  const wanted = join.variables?.provider
  const open = useProviders().filter((name) => !query.data?.identities.some((identity) => identity.provider === name))
  return (
    <section className="card grid gap-4 p-5" aria-labelledby="ways-in">
      <div className="grid gap-1">
        <h2 id="ways-in" className="text-sm font-semibold">
          {t('waysIn')}
        </h2>
        <p className="text-xs text-muted">{t('waysInNote')}</p>
      </div>
      {query.error && query.data === undefined && <ErrorView error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <div className="h-16 animate-pulse rounded-md bg-hover" aria-hidden />}
      {query.data && (
        <ul className="grid gap-3">
          {query.data.password && query.data.email && <Way name={t('password')} detail={query.data.email} />}
          {email && <Way name={t('emailCode')} detail={email} />}
          {query.data.phone && <Way name={t('phone')} detail={query.data.phone} />}
          {query.data.identities.map((identity) => (
            <Joined key={identity.id} identity={identity} />
          ))}
        </ul>
      )}
      {join.error && !asksPassword(join.error) && <FormError>{text(join.error)}</FormError>}
      {open.length > 0 && query.data && (
        <div className="flex flex-wrap gap-2">
          {open.map((name) => (
            <Button
              key={name}
              busy={wanted === name && (join.isPending || join.isSuccess)}
              onClick={() => join.mutate({ provider: name })}
            >
              {t('join', { name: PROVIDERS[name].name })}
            </Button>
          ))}
        </div>
      )}
      {wanted && (
        <AskPassword
          title={t('joinTitle', { name: PROVIDERS[wanted].name })}
          body={t('joinBody')}
          action={t('join', { name: PROVIDERS[wanted].name })}
          change={join}
          submit={(currentPassword) => join.mutate({ provider: wanted, currentPassword })}
        />
      )}
    </section>
  )
}

/** Whether a password is missing or wrong. An account without one is asked to sign in again instead. */
const asksPassword = (error: unknown) =>
  isProblem(error, 'validation_failed') &&
  error.errors.some(({ path, code }) => path === '/currentPassword' && code !== 'sign_in_again')

/** Asks for the password before a sign-in method is added or removed, if the last sign-in is not recent. */
function AskPassword({
  title,
  body,
  action,
  change,
  submit,
}: {
  title: string
  body: string
  action: string
  change: { error: unknown; isPending: boolean; reset: () => void }
  submit: (currentPassword: string) => void
}) {
  const t = useTranslations('profile')
  const common = useTranslations('common')
  const fault = useFaults(change.error)('/currentPassword')
  const [password, setPassword] = useState('')
  const [tried, setTried] = useState(false)
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setTried(true)
    submit(password)
  }
  if (!asksPassword(change.error) && !(tried && change.isPending)) return null
  return (
    <form onSubmit={send} className="grid w-full gap-4 rounded-lg border bg-bg p-4" aria-label={title}>
      <p className="text-13 text-muted">{body}</p>
      <PasswordField
        label={t('currentPassword')}
        hint={t('passwordWhy')}
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={tried ? fault : undefined}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={change.isPending}>
          {action}
        </Button>
        <Button variant="ghost" onClick={() => change.reset()}>
          {common('cancel')}
        </Button>
      </div>
    </form>
  )
}

const Way = ({ name, detail }: { name: string; detail: string }) => (
  <li className="grid gap-0.5 text-13">
    <span className="font-medium">{name}</span>
    <span className="break-words text-muted">
      <bdi>{detail}</bdi>
    </span>
  </li>
)

function Joined({ identity }: { identity: Identity }) {
  const t = useTranslations('profile')
  const text = useProblemText()
  const format = useFormatter()
  const day = (time: string) => format.dateTime(new Date(time), DAY)
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const { name } = PROVIDERS[identity.provider]
  const remove = useMutation({
    mutationFn: (currentPassword?: string) =>
      call('removeIdentity', { params: { id: identity.id }, body: { ...(currentPassword && { currentPassword }) } }),
    onSuccess: () => toast.success(t('removed', { name })),
    onError: (failure) => {
      if (asksPassword(failure)) return
      const why = isProblem(failure, 'invalid_state') && failure.problem['current']
      toast.error(why ? t(why === 'last_way_in' ? 'lastWayIn' : 'changedLately') : text(failure))
    },
    onSettled: () => {
      setAsking(false)
      return client.invalidateQueries({ queryKey: methodsQuery.queryKey })
    },
  })
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 text-13">
      <div className="grid min-w-0 gap-0.5">
        <span className="font-medium">{name}</span>
        {identity.email && (
          <span className="break-words text-muted">
            <bdi>{identity.email}</bdi>
          </span>
        )}
        <span className="text-xs text-muted">
          {identity.lastUsedAt
            ? t('lastUsed', { date: day(identity.lastUsedAt) })
            : t('added', { date: day(identity.createdAt) })}
        </span>
      </div>
      <Button size="sm" onClick={() => setAsking(true)} aria-label={t('removeNamed', { name })}>
        {t('remove')}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('removeTitle', { name })}
        description={t('removeBody', { name })}
        action={t('remove')}
        danger
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      />
      <AskPassword
        title={t('removeNamed', { name })}
        body={t('removePassword')}
        action={t('removeNamed', { name })}
        change={remove}
        submit={(currentPassword) => remove.mutate(currentPassword)}
      />
    </li>
  )
}
