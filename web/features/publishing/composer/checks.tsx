import { Link } from '@tanstack/react-router'
import { Circle, CircleAlert, CircleCheck, LoaderCircle, TriangleAlert } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { useCheckWords } from '../../../service-words.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { NetworkMark } from '../../../ui/network.tsx'

/** What is simply not done yet, as opposed to wrong. */
const TODO = new Set(['no_target', 'empty'])

interface Props {
  checks: Check[]
  accounts: SocialAccount[]
  /** What is still under way and could change them. */
  pending: string | null
  onGo: (check: Check) => void
}

/** What stands between the post and going live. A click leads to the field. */
export function Checks({ checks, accounts, pending, onGo }: Props) {
  const t = useTranslations('composer')
  const words = useCheckWords()
  const { ws } = usePlace()
  return (
    <section aria-labelledby="checks-title" className="grid gap-2">
      <h2 id="checks-title" className="text-13 font-medium">
        {t('checks')}
      </h2>
      {pending && (
        <p className="flex items-center gap-2 rounded-lg bg-sunken px-3 py-2 text-13 text-muted">
          <LoaderCircle className="size-4 shrink-0 motion-safe:animate-spin" aria-hidden />
          {pending}
        </p>
      )}
      {checks.length === 0 && pending === null && (
        <p className="flex items-center gap-2 rounded-lg bg-ok-soft px-3 py-2 text-13 font-medium text-ok">
          <CircleCheck className="size-4 shrink-0" aria-hidden />
          {t('ready')}
        </p>
      )}
      {checks.length > 0 && (
        <ul className="card divide-y overflow-hidden">
          {checks
            .map(
              (check) =>
                [
                  check,
                  words(
                    check,
                    accounts.find(({ id }) => id === check.target),
                  ),
                ] as const,
            )
            .map(([check, said]) => (
              <li key={`${check.code}${check.target}${check.field}`}>
                <button
                  type="button"
                  onClick={() => onGo(check)}
                  className="flex w-full min-h-10 items-start gap-2.5 px-3 py-2 text-start text-13 hover:bg-hover max-sm:min-h-11"
                >
                  <Mark check={check} />
                  <span className="min-w-0 grow">
                    <span className="block font-medium break-words">
                      {said.message}
                      {check.severity === 'warning' && <span className="sr-only"> ({t('warning')})</span>}
                    </span>
                    <span className="block text-xs break-words text-muted">{said.fix}</span>
                  </span>
                  {check.platform && (
                    <span className="mt-0.5">
                      <NetworkMark platform={check.platform} small />
                      <span className="sr-only">{NETWORKS[check.platform].name}</span>
                    </span>
                  )}
                </button>
                {check.code.startsWith('same_text') && (
                  <Link
                    to="/w/$ws/posts/$id"
                    params={{ ws, id: String(check.value) }}
                    className="ms-6 inline-flex min-h-6 items-center px-3 text-xs font-medium text-accent-text underline max-sm:min-h-11"
                  >
                    {t('otherPost')}
                  </Link>
                )}
              </li>
            ))}
        </ul>
      )}
    </section>
  )
}

/** What stands against publishing, plainly. */
export function Risks({ risks, accounts }: { risks: Check[]; accounts: SocialAccount[] }) {
  const words = useCheckWords()
  return (
    <ul className="grid gap-2">
      {risks
        .map(
          (check) =>
            [
              check,
              words(
                check,
                accounts.find(({ id }) => id === check.target),
              ),
            ] as const,
        )
        .map(([check, { message, fix }]) => (
          <li key={`${check.code}${check.target}`} className="flex items-start gap-2.5">
            <Mark check={check} />
            <span className="min-w-0 grow break-words">
              <span className="block font-medium text-fg">{message}</span> {fix}
            </span>
          </li>
        ))}
    </ul>
  )
}

function Mark({ check }: { check: Check }) {
  if (TODO.has(check.code)) return <Circle className="mt-0.5 size-4 shrink-0 text-muted" aria-hidden />
  if (check.severity === 'warning') return <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
  return <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
}
