import { Link } from '@tanstack/react-router'
import { KeyRound, Mail, Smartphone } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { buttonClass } from '../../ui/button.tsx'
import { DemoButton } from '../demo/demo-button.tsx'
import { CodeForm } from './code-form.tsx'
import { AuthFrame } from './frame.tsx'
import { LoginForm } from './login-form.tsx'

const DOORS = [
  { by: undefined, icon: KeyRound, label: 'byPassword' },
  { by: 'phone', icon: Smartphone, label: 'byPhone' },
  { by: 'email', icon: Mail, label: 'byEmail' },
] as const

interface LoginScreenProps {
  to?: string | undefined
  ended?: true | 'elsewhere' | undefined
  by?: 'phone' | 'email' | undefined
}

/** The ways in: a password, or a code to a phone or an address. */
export function LoginScreen({ to, ended, by }: LoginScreenProps) {
  const t = useTranslations('auth')
  const codes = useTranslations('codes')
  return (
    <AuthFrame
      title={t('signIn')}
      lead={t.rich('noAccount', {
        link: (chunks) => (
          <Link to="/register" className="font-medium text-accent-text underline">
            {chunks}
          </Link>
        ),
      })}
    >
      {ended && (
        <p role="status" className="rounded-[7px] bg-warn-soft px-3 py-2.5 text-13 text-warn">
          {t(ended === 'elsewhere' ? 'sessionEndedElsewhere' : 'sessionEnded')}
        </p>
      )}
      {by ? <CodeForm key={by} by={by} to={to} /> : <LoginForm to={to} />}
      <nav aria-label={codes('doors')} className="grid gap-2">
        {DOORS.filter((door) => door.by !== by).map(({ by: other, icon: Icon, label }) => (
          <Link
            key={label}
            to="/login"
            search={{ ...(to && { to }), ...(other && { by: other }) }}
            className={buttonClass('secondary', 'md', 'min-h-10')}
          >
            <Icon className="size-4" aria-hidden />
            {codes(label)}
          </Link>
        ))}
      </nav>
      <DemoButton />
    </AuthFrame>
  )
}
