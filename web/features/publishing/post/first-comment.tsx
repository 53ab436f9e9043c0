import { clsx } from 'clsx'
import { CircleAlert, CircleCheck, CircleHelp, LoaderCircle, RotateCcw } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { FirstComment as Comment } from '../../../../src/publishing/posts/api.ts'
import { useFailureWords } from '../../../service-words.ts'
import { Button } from '../../../ui/button.tsx'

const LOOK = {
  PENDING: { icon: LoaderCircle, text: 'text-muted' },
  SENDING: { icon: LoaderCircle, text: 'text-muted' },
  POSTED: { icon: CircleCheck, text: 'text-ok' },
  FAILED: { icon: CircleAlert, text: 'text-bad' },
  UNCONFIRMED: { icon: CircleHelp, text: 'text-warn' },
} as const

/** The state of the first comment on a live post. */
export function FirstComment({
  comment: { state, text, error },
  mayAct,
  busy,
  onRetry,
}: {
  comment: Comment
  mayAct: boolean
  busy: boolean
  onRetry: () => void
}) {
  const t = useTranslations('post')
  const words = useFailureWords()
  const { icon: Icon, text: colour } = LOOK[state]
  const said = error && words(error)
  return (
    <div className="grid gap-1.5 border-t pt-3 text-13">
      <p role="status" className={clsx('flex items-center gap-1.5 font-medium', colour)}>
        <Icon className={clsx('size-4 shrink-0', Icon === LoaderCircle && 'motion-safe:animate-spin')} aria-hidden />
        {t(`comment.${state}`)}
      </p>
      <p dir="auto" className="break-words whitespace-pre-wrap text-muted">
        {text}
      </p>
      {said && (
        <p className="break-words">
          {said.message} {said.fix}
          {said.original && (
            <>
              {' '}
              <bdi lang="en">{said.original}</bdi>
            </>
          )}
        </p>
      )}
      {mayAct && (state === 'FAILED' || state === 'UNCONFIRMED') && (
        <div>
          <Button size="sm" busy={busy} onClick={onRetry}>
            <RotateCcw className="size-3.5" aria-hidden />
            {t('comment.retry')}
          </Button>
        </div>
      )}
    </div>
  )
}
