import { Link } from '@tanstack/react-router'
import { Circle, CircleAlert, TriangleAlert } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import { useCheckWords } from '../../../service-words.ts'
import { Button } from '../../../ui/button.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { usePlace } from '../../shell/workspace.tsx'

/** Findings that mean unfinished rather than wrong. */
const TODO = new Set(['no_target', 'empty'])

/** The label of a finding's button, by the field that it leads to; null if no field fixes it. */
function actOf({ field, code, value, limit }: Check) {
  if (field === '/targets') return code === 'no_target' ? 'accounts' : null
  if (field === '/approval') return null
  if (field === '/scheduledAt') return 'time'
  if ((code === 'duration_not_accepted' || code === 'owner_limit') && Number(value) > Number(limit)) return 'trim'
  if (code === 'media_required') return 'addMedia'
  if (code === 'consent_required') return 'terms'
  if (field.startsWith('/media')) return 'media'
  if (field.startsWith('/hashtags')) return 'hashtags'
  return field.startsWith('/platformOptions') ? 'settings' : 'text'
}

interface Props {
  checks: Check[]
  accounts: SocialAccount[]
  onGo: (check: Check) => void
  /** Focuses the first button, and lets the arrow keys move between them. */
  focused?: boolean
}

/** The errors that block publishing, then the warnings, each with a button that leads to the fix. */
export function Findings({ checks, accounts, onGo, focused }: Props) {
  const t = useTranslations('composer')
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (focused) list.current?.querySelector<HTMLElement>('button, a')?.focus()
  }, [focused])
  const keys = (event: KeyboardEvent) => {
    if (!focused || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
    event.preventDefault()
    const acts = [...event.currentTarget.querySelectorAll<HTMLElement>('button, a')]
    const now = acts.indexOf(document.activeElement as HTMLElement)
    acts.at((now + (event.key === 'ArrowDown' ? 1 : acts.length - 1)) % acts.length)?.focus()
  }
  const row = (check: Check) => (
    <Finding
      key={`${check.code}${check.target}${check.field}`}
      check={check}
      account={accounts.find(({ id }) => id === check.target)}
      onGo={onGo}
    />
  )
  const errors = checks.filter(({ severity }) => severity === 'error')
  const warnings = checks.filter(({ severity }) => severity === 'warning')
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its buttons take the keys
    <div ref={list} onKeyDown={keys}>
      {errors.length > 0 && <ul className="divide-y">{errors.map(row)}</ul>}
      {warnings.length > 0 && (
        <>
          {errors.length > 0 && (
            <h3 className="border-y bg-bg px-4 py-2 text-xs font-medium text-muted">{t('worthALook')}</h3>
          )}
          <ul className="divide-y">{warnings.map(row)}</ul>
        </>
      )}
    </div>
  )
}

function Finding({ check, account, onGo }: { check: Check; account: SocialAccount | undefined; onGo: Props['onGo'] }) {
  const t = useTranslations('composer')
  const { ws } = usePlace()
  const { message, fix } = useCheckWords()(check, account)
  const act = actOf(check)
  return (
    <li className="flex items-center gap-2.5 py-2.5 ps-4 pe-3 text-13 has-focus-visible:bg-hover">
      <span className="mt-px self-start">
        {check.platform ? <NetworkMark platform={check.platform} label /> : <Mark check={check} />}
      </span>
      <div className="min-w-0 grow">
        <p className="font-medium break-words">
          {message}
          {check.severity === 'warning' && <span className="sr-only"> ({t('warning')})</span>}
        </p>
        <p className="text-xs break-words text-muted">
          {fix}{' '}
          {check.code.startsWith('same_text') && (
            <Link
              to="/w/$ws/posts/$id"
              params={{ ws, id: String(check.value) }}
              className="inline-flex min-h-6 items-center font-medium text-accent-text underline max-sm:min-h-11"
            >
              {t('otherPost')}
            </Link>
          )}
          {check.field === '/targets' && !act && (
            <Link
              to="/w/$ws/accounts"
              params={{ ws }}
              className="inline-flex min-h-6 items-center font-medium text-accent-text underline max-sm:min-h-11"
            >
              {t('toAccounts')}
            </Link>
          )}
        </p>
      </div>
      {act && (
        <Button size="sm" aria-label={`${t(`fix.${act}`)}: ${message}`} onClick={() => onGo(check)}>
          {t(`fix.${act}`)}
        </Button>
      )}
    </li>
  )
}

/** The risks of publishing, as plain text. */
export function Risks({ risks, accounts }: { risks: Check[]; accounts: SocialAccount[] }) {
  const words = useCheckWords()
  return (
    <ul className="grid gap-2">
      {risks.map((check) => {
        const { message, fix } = words(
          check,
          accounts.find(({ id }) => id === check.target),
        )
        return (
          <li key={`${check.code}${check.target}`} className="flex items-start gap-2.5">
            <Mark check={check} />
            <span className="min-w-0 grow break-words">
              <span className="block font-medium text-fg">{message}</span> {fix}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

function Mark({ check }: { check: Check }) {
  if (TODO.has(check.code)) return <Circle className="mt-0.5 size-4 shrink-0 text-muted" aria-hidden />
  if (check.severity === 'warning') return <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
  return <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
}
