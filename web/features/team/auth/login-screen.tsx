import { Link } from '@tanstack/react-router'
import { KeyRound, Mail, Smartphone } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { buttonClass } from '../../../ui/button.tsx'
import { DemoButton } from '../../shell/demo/demo-button.tsx'
import { CodeForm } from './code-form.tsx'
import { AuthFrame } from './frame.tsx'
import { LoginForm } from './login-form.tsx'
import { ProviderError, Providers } from './providers.tsx'

const DOORS = [
  { by: undefined, icon: KeyRound, label: 'byPassword' },
  { by: 'phone', icon: Smartphone, label: 'byPhone' },
  { by: 'email', icon: Mail, label: 'byEmail' },
] as const

const ENDED = {
  true: 'sessionEnded',
  elsewhere: 'sessionEndedElsewhere',
  disabled: 'providerErrors.account_disabled',
} as const

interface LoginScreenProps {
  to?: string | undefined
  ended?: true | 'elsewhere' | 'disabled' | undefined
  by?: 'phone' | 'email' | undefined
  /** Why signing in with a provider failed. */
  error?: string | undefined
  provider?: string | undefined
}

/** Sign-in by password, by a code to a phone or email address, or with a provider. */
export function LoginScreen({ to: wanted, ended, by, error, provider }: LoginScreenProps) {
  // A person who must link the provider manually goes to that screen.
  const to = error === 'link_required' ? '/me' : wanted
  const t = useTranslations('auth')
  const codes = useTranslations('codes')
  return (
    <AuthFrame
      title={t('signIn')}
      lead={t.rich('noAccount', {
        link: (chunks) => (
          <Link to="/register" search={wanted ? { to: wanted } : {}} className="font-medium text-accent-text underline">
            {chunks}
          </Link>
        ),
      })}
    >
      {ended && (
        <p role="status" className="rounded-md bg-warn-soft px-3 py-2.5 text-13 text-warn">
          {t(ENDED[String(ended) as keyof typeof ENDED])}
        </p>
      )}
      {error && <ProviderError error={error} provider={provider} />}
      <DemoButton />
      {by ? <CodeForm key={by} by={by} to={to} /> : <LoginForm to={to} />}
      <Providers to={to} />
      <nav aria-label={codes('doors')} className="-mt-3 flex flex-wrap justify-center gap-x-1">
        {DOORS.filter((door) => door.by !== by).map(({ by: other, icon: Icon, label }) => (
          <Link
            key={label}
            to="/login"
            search={{ ...(to && { to }), ...(other && { by: other }) }}
            className={buttonClass('ghost')}
          >
            <Icon className="size-4" aria-hidden />
            {codes(label)}
          </Link>
        ))}
      </nav>
    </AuthFrame>
  )
}
