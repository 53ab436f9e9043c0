import { useMutation } from '@tanstack/react-query'
import { CircleCheck, GitCompareArrows, RotateCcw } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { call } from '../../../../client.ts'
import { useProblemText } from '../../../../problem.ts'
import { Button } from '../../../../ui/button.tsx'
import { FormError } from '../../../../ui/field.tsx'
import { usePlace } from '../../../shell/workspace.tsx'

/** Decides again from what was stored, by the rules of today, and shows what differs. Nothing is sent. */
export function Replay({ id }: { id: string }) {
  const t = useTranslations('why.replay')
  const problem = useProblemText()
  const { ws } = usePlace()
  const replay = useMutation({ mutationFn: () => call('replayDecision', { workspace: ws, params: { id } }) })
  const { data, error } = replay
  return (
    <div className="grid gap-2 text-xs">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button size="sm" busy={replay.isPending} onClick={() => replay.mutate()}>
          <RotateCcw className="size-3.5" aria-hidden />
          {t('replay')}
        </Button>
        <p role="status" className="flex min-w-0 items-center gap-1.5 text-muted">
          {data &&
            (data.redacted ? (
              t('redacted')
            ) : data.same ? (
              <>
                <CircleCheck className="size-3.5 shrink-0 text-ok" aria-hidden />
                {t('same')}
              </>
            ) : (
              <>
                <GitCompareArrows className="size-3.5 shrink-0 text-warn" aria-hidden />
                {t('differs', { version: data.rulesVersion })}
              </>
            ))}
          {!data && !error && t('hint')}
        </p>
      </div>
      {error && <FormError>{problem(error)}</FormError>}
      {data && !data.same && !data.redacted && (
        <ul className="grid gap-1 rounded-md border p-2">
          {data.diff.map(({ step, before, after }) => (
            <li key={step} className="grid gap-0.5">
              <code dir="ltr" className="justify-self-start text-muted">
                {step}
              </code>
              <span className="break-words">
                <del className="text-bad">{before ?? t('absent')}</del> →{' '}
                <ins className="text-ok no-underline">{after ?? t('absent')}</ins>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
