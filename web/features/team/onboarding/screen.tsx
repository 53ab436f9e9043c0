import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Profile } from '../../../../src/team/identity/api.ts'
import { PLATFORM_ORDER } from '../../../labels.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { configQuery, meQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { AuthFrame } from '../auth/frame.tsx'
import { LanguageField } from '../settings/language-field.tsx'
import { ZoneField } from '../settings/zone-field.tsx'
import { FirstAccount } from './first-account.tsx'
import { Goals } from './goals.tsx'
import { useOnboarding } from './use-onboarding.ts'

/** The questions after sign-up. All can be skipped. The next step is to connect an account. */
export function OnboardingScreen() {
  const { data: me } = useQuery(meQuery)
  return me ? <Questions me={me} /> : null
}

function Questions({ me }: { me: Profile }) {
  const t = useTranslations('onboarding')
  const text = useProblemText()
  const { leads, guest, nameless, value, change, connectNext, busy, error, send, skip } = useOnboarding(me)
  const { data: config } = useQuery(configQuery)
  const networks = PLATFORM_ORDER.filter((one) =>
    config?.networks.some(({ platform, configured }) => platform === one && configured),
  )
  const connects = leads && networks.length > 0
  const form = useRef<HTMLFormElement>(null)
  const connect = (platform: Platform) => {
    if (busy) return
    connectNext(platform)
    form.current?.requestSubmit()
  }
  const fault = useFaults(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) send()
  }
  const whole = error && !['/name', '/workspaceName', '/niche', '/timezone', '/language'].some((path) => fault(path))
  return (
    <AuthFrame title={guest ? t('guestTitle', { name: guest.name }) : t('title')} lead={t('lead')}>
      <form ref={form} onSubmit={submit} className="grid gap-4">
        {whole && <FormError>{text(error)}</FormError>}
        {nameless && (
          <TextField
            label={t('name')}
            dir="auto"
            autoComplete="name"
            maxLength={100}
            value={value.name}
            onChange={(event) => change({ name: event.target.value })}
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
              onChange={(event) => change({ workspaceName: event.target.value })}
              error={fault('/workspaceName')}
            />
            <TextField
              label={t('niche')}
              hint={t('nicheHint')}
              dir="auto"
              maxLength={200}
              value={value.niche}
              onChange={(event) => change({ niche: event.target.value })}
              error={fault('/niche')}
            />
          </>
        )}
        <div className="grid items-start gap-4 sm:grid-cols-2 sm:gap-3">
          <ZoneField
            label={t('timezone')}
            hint={guest ? undefined : t('timezoneHint')}
            value={value.timezone}
            onChange={(timezone) => change({ timezone })}
            error={fault('/timezone')}
          />
          <LanguageField
            label={t('language')}
            value={value.language}
            onChange={(language) => change({ language })}
            error={fault('/language')}
          />
        </div>
        {!guest && <Goals goals={value.goals} onChange={(goals) => change({ goals })} />}
        <div className="mt-1 grid gap-2">
          {connects && <FirstAccount networks={networks} onConnect={connect} />}
          <Button
            type="submit"
            variant={connects ? 'secondary' : 'primary'}
            busy={busy}
            className="min-h-10"
            onClick={() => connectNext(null)}
          >
            {leads ? t('next') : t('done')}
          </Button>
          <Button
            variant="ghost"
            onClick={() => {
              connectNext(null)
              if (!busy) skip()
            }}
          >
            {t('skip')}
          </Button>
        </div>
      </form>
    </AuthFrame>
  )
}
