import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Language, Profile } from '../../../../src/team/identity/api.ts'
import { call, type CallOptions } from '../../../client.ts'
import { browserZone } from '../../../i18n.tsx'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { configQuery, meQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { startConnecting } from '../../channels/accounts/use-connect.ts'
import { AuthFrame } from '../auth/frame.tsx'
import { LanguageField } from '../settings/language-field.tsx'
import { ZoneField } from '../settings/zone-field.tsx'

const GOALS = ['plan', 'adapt', 'team', 'answer', 'measure'] as const

/** The questions after sign-up. All can be skipped. The next step is to connect an account. */
export function OnboardingScreen() {
  const { data: me } = useQuery(meQuery)
  return me ? <Questions me={me} /> : null
}

function Questions({ me }: { me: Profile }) {
  const t = useTranslations('onboarding')
  const text = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const workspace = me.workspaces.find(({ id }) => id === me.defaultWorkspaceId)
  const leads = workspace?.role === 'OWNER'
  const guest = workspace !== undefined && !leads
  const nameless = me.name === ''
  const [value, setValue] = useState({
    workspaceName: workspace?.name ?? '',
    niche: '',
    name: me.name,
    timezone: browserZone(),
    language: me.language as Language,
  })
  const [goals, setGoals] = useState<string[]>([])
  const { data: config } = useQuery(configQuery)
  const networks = PLATFORM_ORDER.filter((one) =>
    config?.networks.some(({ platform, configured }) => platform === one && configured),
  )
  const form = useRef<HTMLFormElement>(null)
  /** The network to connect right after submitting; null for none. */
  const connecting = useRef<Platform | null>(null)
  const connect = (platform: Platform) => {
    connecting.current = platform
    form.current?.requestSubmit()
  }
  const finish = useMutation({
    mutationFn: (body: NonNullable<CallOptions<'completeOnboarding'>['body']>) => call('completeOnboarding', { body }),
    onSuccess: async (answer, body) => {
      client.setQueryData(meQuery.queryKey, answer)
      const answered = Object.keys(body).length > 0
      const network = connecting.current
      if (workspace && network) {
        try {
          return await startConnecting(workspace.id, network, 'compose')
        } catch (error) {
          // The person can retry on the accounts screen.
          toast.error(text(error))
        }
      }
      if (!workspace) await navigate({ to: '/' })
      else
        await navigate({
          to: leads && answered ? '/w/$ws/accounts' : '/w/$ws/today',
          params: { ws: workspace.id },
        })
    },
  })
  const fault = useFaults(finish.error)
  const busy = finish.isPending
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const { workspaceName, niche, name, timezone, language } = value
    const own = { timezone, language, ...(nameless && { name: name.trim() }) }
    if (guest) return finish.mutate(own)
    const ofWorkspace = { workspaceName: workspaceName.trim(), ...(niche.trim() && { niche: niche.trim() }) }
    finish.mutate({ ...own, goals, ...(leads && ofWorkspace) })
  }
  const whole =
    finish.error && !['/name', '/workspaceName', '/niche', '/timezone', '/language'].some((path) => fault(path))
  return (
    <AuthFrame title={guest ? t('guestTitle', { name: workspace.name }) : t('title')} lead={t('lead')}>
      <form ref={form} onSubmit={submit} className="grid gap-4">
        {whole && <FormError>{text(finish.error)}</FormError>}
        {nameless && (
          <TextField
            label={t('name')}
            dir="auto"
            autoComplete="name"
            maxLength={100}
            value={value.name}
            onChange={(event) => setValue({ ...value, name: event.target.value })}
            error={fault('/name')}
          />
        )}
        {leads && (
          <>
            <TextField
              label={t('workspaceName')}
              dir="auto"
              required
              maxLength={100}
              value={value.workspaceName}
              onChange={(event) => setValue({ ...value, workspaceName: event.target.value })}
              error={fault('/workspaceName')}
            />
            <TextField
              label={t('niche')}
              hint={t('nicheHint')}
              dir="auto"
              maxLength={200}
              value={value.niche}
              onChange={(event) => setValue({ ...value, niche: event.target.value })}
              error={fault('/niche')}
            />
          </>
        )}
        <div className="grid items-start gap-4 sm:grid-cols-2 sm:gap-3">
          <ZoneField
            label={t('timezone')}
            hint={guest ? undefined : t('timezoneHint')}
            value={value.timezone}
            onChange={(timezone) => setValue({ ...value, timezone })}
            error={fault('/timezone')}
          />
          <LanguageField
            label={t('language')}
            value={value.language}
            onChange={(language) => setValue({ ...value, language })}
            error={fault('/language')}
          />
        </div>
        {!guest && (
          <>
            <fieldset>
              <legend className="mb-1.5 text-13 font-medium">{t('goals')}</legend>
              <div className="flex flex-wrap gap-1.5">
                {GOALS.map((goal) => (
                  <label
                    key={goal}
                    className="flex min-h-9 items-center gap-2.5 rounded-md border border-control/60 px-3 text-13 has-checked:border-accent has-checked:bg-accent-soft max-sm:min-h-11"
                  >
                    <input
                      type="checkbox"
                      className="size-4 accent-(--accent)"
                      checked={goals.includes(goal)}
                      onChange={(event) =>
                        setGoals(event.target.checked ? [...goals, goal] : goals.filter((one) => one !== goal))
                      }
                    />
                    {t(`goal.${goal}`)}
                  </label>
                ))}
              </div>
            </fieldset>
          </>
        )}
        <div className="mt-1 grid gap-2">
          {leads && networks.length > 0 && (
            <div role="group" aria-labelledby="first-account" className="grid gap-1.5">
              <p id="first-account" className="text-13 font-medium">
                {t('firstAccount')}
              </p>
              <div className="flex flex-wrap gap-2">
                {networks.map((platform) => (
                  <Button key={platform} className="min-h-10 grow" onClick={() => busy || connect(platform)}>
                    <NetworkMark platform={platform} />
                    {NETWORKS[platform].name}
                  </Button>
                ))}
              </div>
            </div>
          )}
          <Button
            type="submit"
            variant={leads && networks.length > 0 ? 'secondary' : 'primary'}
            busy={busy}
            className="min-h-10"
            onClick={() => (connecting.current = null)}
          >
            {leads ? t('next') : t('done')}
          </Button>
          <Button
            variant="ghost"
            onClick={() => {
              connecting.current = null
              if (!busy) finish.mutate({})
            }}
          >
            {t('skip')}
          </Button>
        </div>
      </form>
    </AuthFrame>
  )
}
