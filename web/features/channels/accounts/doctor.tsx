import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, CircleHelp, RefreshCw, TriangleAlert } from 'lucide-react'
import { use } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { DoctorCheck, SocialAccount } from '../../../../src/channels/api.ts'
import { failedTexts, useMaybe } from '../../../i18n.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { doctorQuery } from './queries.ts'
import { DAY_TIME } from '../../../time.ts'

interface Acts {
  onReconnect: () => void
  onResume: () => void
}

const LOOK = {
  ok: { icon: CircleCheck, text: 'text-ok' },
  warning: { icon: TriangleAlert, text: 'text-warn' },
  failed: { icon: CircleAlert, text: 'text-bad' },
  unknown: { icon: CircleHelp, text: 'text-muted' },
} as const

/** Requested once, when the first check opens. */
const texts = failedTexts()

/** Checks an account's connection at its network and shows each problem with its fix. */
export default function Doctor({ account, onClose, ...acts }: Acts & { account: SocialAccount; onClose: () => void }) {
  use(texts)
  const t = useTranslations('doctor')
  const { ws } = usePlace()
  const query = useQuery(doctorQuery(ws, account.id))
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('title', { name: account.name })}
      description={t('lead')}
      footer={
        <>
          <Button onClick={onClose}>{t('close')}</Button>
          <Button busy={query.isFetching} onClick={() => void query.refetch()}>
            <RefreshCw className="size-3.5" aria-hidden />
            {t('again')}
          </Button>
        </>
      }
    >
      <Loaded query={query} skeleton={<Skeleton />}>
        {({ checks }) => (
          <ul className="grid grid-cols-[minmax(0,1fr)] gap-3" aria-busy={query.isFetching}>
            {ordered(checks).map((check, index) => (
              <Finding key={`${check.code} ${index}`} check={check} paused={account.paused} {...acts} />
            ))}
          </ul>
        )}
      </Loaded>
    </Dialog>
  )
}

const ORDER = ['failed', 'warning', 'unknown', 'ok'] as const
const ordered = (checks: readonly DoctorCheck[]) =>
  checks.toSorted((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome))

function Finding({ check, paused, onReconnect, onResume }: Acts & { check: DoctorCheck; paused: boolean }) {
  const t = useTranslations('doctor')
  const { ws } = usePlace()
  const { detail, fix } = useDoctorWords()(check)
  const { icon: Icon, text } = LOOK[check.outcome]
  const { code, outcome, act } = check
  return (
    <li className="flex items-start gap-3 text-13">
      <Icon className={`mt-0.5 size-4 shrink-0 ${text}`} aria-hidden />
      <div className="grid min-w-0 grow gap-1">
        <p>
          <span className="font-medium">{t(`codes.${code}`)}</span>{' '}
          <span className={`text-xs ${text}`}>{t(`outcomes.${outcome}`)}</span>
        </p>
        <p className="break-words text-muted">{detail}</p>
        {fix && <p className="break-words">{fix}</p>}
        {act === 'reconnect' && (
          <Button size="sm" className="w-fit" onClick={onReconnect}>
            {t('reconnect')}
          </Button>
        )}
        {act === 'admin' && code === 'account' && paused && (
          <Button size="sm" className="w-fit" onClick={onResume}>
            {t('resume')}
          </Button>
        )}
        {act === 'admin' && code === 'publishing' && (
          <Link to="/w/$ws/settings" params={{ ws }} className={buttonClass('secondary', 'sm', 'w-fit')}>
            {t('settings')}
          </Link>
        )}
        {act === 'operator' && <p className="text-xs text-muted">{t('operator')}</p>}
      </div>
    </li>
  )
}

/** Findings arrive in English. Other languages translate them by code, outcome and value. */
function useDoctorWords() {
  const maybe = useMaybe()
  const format = useFormatter()
  return ({ code, outcome, detail, fix, failure, values }: DoctorCheck) => {
    const { state, at, neededFor, ...rest } = values
    const filled = {
      ...rest,
      ...(at !== undefined && {
        at: format.dateTime(new Date(at), DAY_TIME),
      }),
      ...(neededFor !== undefined && { need: maybe(`accounts.needs.${neededFor}`, String(neededFor)) }),
    }
    const key = `findings.${code}.${state ?? outcome}`
    return {
      detail: failure ? maybe(`failures.${failure}.message`, detail) : maybe(`${key}.detail`, detail, filled),
      fix: fix && (failure ? maybe(`failures.${failure}.fix`, fix) : maybe(`${key}.fix`, fix, filled)),
    }
  }
}

const Skeleton = () => (
  <div className="grid gap-3" aria-hidden>
    {[1, 2, 3, 4, 5].map((row) => (
      <div key={row} className="skeleton h-10" />
    ))}
  </div>
)
