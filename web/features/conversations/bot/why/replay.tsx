import { useMutation } from '@tanstack/react-query'
import { CircleCheck, GitCompareArrows, RotateCcw } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Decision } from '../../../../../src/conversations/decisions/api.ts'
import { call } from '../../../../client.ts'
import { useProblemText } from '../../../../problem.ts'
import { Button } from '../../../../ui/button.tsx'
import { FormError } from '../../../../ui/field.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { useStepWords } from './steps.ts'

/** Repeats a decision from its stored context with today's rules, and shows the differences. Nothing is sent. */
export function Replay({ decision }: { decision: Decision }) {
  const t = useTranslations('why.replay')
  const words = useStepWords()
  const problem = useProblemText()
  const { ws } = usePlace()
  const replay = useMutation({
    mutationFn: () => call('replayDecision', { workspace: ws, params: { id: decision.id } }),
  })
  const { data, error } = replay
  /** The outcome of a step, as text. */
  const said = (log: Decision['decisionLog'], step: string) => {
    const entry = log.find((one) => one.step === step)
    if (!entry) return t('absent')
    const { text, value } = words(entry, decision)
    return value ? `${text}: ${value}` : text
  }
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
                {data.rulesVersion === decision.rulesVersion
                  ? t('changed')
                  : t('differs', { version: data.rulesVersion, before: decision.rulesVersion })}
              </>
            ))}
          {!data && !error && t('hint')}
        </p>
      </div>
      {error && <FormError>{problem(error)}</FormError>}
      {data && !data.same && !data.redacted && data.diff.length === 0 && <p className="text-muted">{t('details')}</p>}
      {data && !data.same && !data.redacted && data.diff.length > 0 && (
        <table className="block w-full overflow-hidden rounded-md border sm:table">
          <thead className="border-b bg-sunken max-sm:sr-only">
            <tr>
              {(['before', 'today'] as const).map((when) => (
                <th key={when} scope="col" className="px-2 py-1 text-start font-medium text-muted">
                  {t(when)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="block divide-y sm:table-row-group">
            {data.diff.map(({ step }) => (
              <tr key={step} className="block px-2 py-1 sm:table-row sm:p-0">
                <td className="block break-words text-bad sm:table-cell sm:w-1/2 sm:px-2 sm:py-1">
                  <span className="text-muted sm:hidden">{t('before')}: </span>
                  {said(decision.decisionLog, step)}
                </td>
                <td className="block break-words text-ok sm:table-cell sm:w-1/2 sm:px-2 sm:py-1">
                  <span className="text-muted sm:hidden">{t('today')}: </span>
                  {said(data.log, step)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}
