import { Link } from '@tanstack/react-router'
import { CircleHelp, CloudOff, TriangleAlert } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { isProblem } from '../client.ts'
import { useProblemText } from '../problem.ts'
import { isAway } from '../problem-error.ts'
import { isPartMissing, reloadPage } from '../parts.ts'
import { Button, buttonClass } from './button.tsx'
import { Empty } from './empty.tsx'
import { lazy } from './part.tsx'

const RefusalView = lazy(() => import('./refusal-view.tsx'))

export function NotFound({ whole = true }: { whole?: boolean }) {
  const t = useTranslations('states')
  return (
    <Empty
      whole={whole}
      icon={CircleHelp}
      title={t('notFound')}
      actions={
        <Link to="/" className={buttonClass('secondary')}>
          {t('goHome')}
        </Link>
      }
    >
      {t('notFoundBody')}
    </Empty>
  )
}

/** A part of the app could not be loaded. The retry reloads the page if the server responds. */
function MissingPart({ whole }: { whole?: boolean }) {
  const t = useTranslations('states')
  const [unreachable, setUnreachable] = useState(false)
  const retry = async () => setUnreachable(!(await reloadPage()))
  return (
    <Empty
      whole={whole}
      icon={CloudOff}
      title={t('partMissing')}
      role="alert"
      actions={
        <Button variant="secondary" onClick={() => void retry()}>
          {t('retry')}
        </Button>
      }
    >
      {t(unreachable ? 'offline' : 'partMissingBody')}
    </Empty>
  )
}

interface ErrorProps {
  error: unknown
  retry?: () => void
  whole?: boolean
  /** A link to the plan, for people who may see it. */
  plan?: ReactNode
}

/** A failure with its reason and the next step, chosen by the error code. */
export function ErrorView({ error, retry, whole, plan }: ErrorProps) {
  const t = useTranslations('states')
  const text = useProblemText()
  const again = retry && (
    <Button variant="secondary" onClick={retry}>
      {t('retry')}
    </Button>
  )
  if (isProblem(error, 'not_found', 'no_workspace')) return <NotFound whole={whole ?? false} />
  if (isProblem(error, 'role_required', 'feature_not_in_plan'))
    return (
      <Suspense>
        <RefusalView problem={error.problem} feature={error.code === 'feature_not_in_plan'} whole={whole} plan={plan} />
      </Suspense>
    )
  if (isAway(error))
    return (
      <Empty whole={whole} icon={CloudOff} title={t('offline')} role="alert" actions={again}>
        {t(isProblem(error, 'offline') ? 'offlineBody' : 'awayBody')}
      </Empty>
    )
  if (isPartMissing(error)) return <MissingPart whole={whole} />
  // The text of an internal error ends with the request id.
  const requestId = isProblem(error) && error.code !== 'internal' ? error.requestId : null
  return (
    <Empty whole={whole} icon={TriangleAlert} title={t('failed')} role="alert" actions={again}>
      <p>{text(error)}</p>
      {requestId && (
        <p className="mt-2 text-xs">
          {t('requestId')}{' '}
          <code dir="ltr" className="select-all rounded bg-sunken px-1 py-0.5 break-all">
            {requestId}
          </code>
        </p>
      )}
    </Empty>
  )
}

interface LoadedProps<T> {
  query: { data: T | undefined; error: unknown; dataUpdatedAt: number; refetch: () => unknown }
  skeleton: ReactNode
  whole?: boolean
  children: (data: T) => ReactNode
}

/** The data if there is any, with a notice if refreshing it failed; else the skeleton, or the error. */
export function Loaded<T>({ query, skeleton, whole, children }: LoadedProps<T>) {
  const t = useTranslations('states')
  const format = useFormatter()
  if (query.data === undefined)
    return query.error ? (
      <ErrorView whole={whole} error={query.error} retry={() => void query.refetch()} />
    ) : (
      <>{skeleton}</>
    )
  return (
    <>
      {query.error !== null && (
        <div
          role="status"
          className="flex flex-wrap items-center gap-x-3 gap-y-1 bg-warn-soft px-4 py-1.5 text-xs text-warn"
        >
          <span>{t('stale', { time: format.dateTime(query.dataUpdatedAt, { timeStyle: 'short' }) })}</span>
          <button type="button" className="min-h-6 font-medium underline" onClick={() => void query.refetch()}>
            {t('retry')}
          </button>
        </div>
      )}
      {children(query.data)}
    </>
  )
}
