import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, TriangleAlert } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Report } from '../../../../src/insights/reports/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { Rows } from '../../../ui/row.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { useReportWords } from './words.ts'

const LOOKS = {
  waiting: [CircleDashed, 'bg-sunken text-muted'],
  sent: [CircleCheck, 'bg-ok-soft text-ok'],
  failed: [TriangleAlert, 'bg-bad-soft text-bad'],
} as const

/** The emails of the last month: the recipients, and why any did not receive theirs. */
export function Mails({ report: { id, mails } }: { report: Report }) {
  const t = useTranslations('reports')
  const say = useReportWords()
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const may = useMay('resendReport')
  const resend = useMutation({
    mutationFn: () => call('resendReport', { workspace: ws, params: { id } }),
    onSuccess: () => toast.success(t('sending')),
    onError: (error) => toast.error(problem(error)),
    onSettled: () => client.invalidateQueries({ queryKey: [ws, 'reports'] }),
  })
  const [first] = mails
  if (!first) return null
  // Sending does not renew a link that ended.
  const canResend = mails.some(({ state, error }) => state === 'failed' && error !== 'link_ended')
  return (
    <section aria-labelledby="mails" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <h2 id="mails" className="text-15 font-semibold">
          {t('mails', { month: say.month(first.month) })}
        </h2>
        {canResend && !may.hidden && (
          <Button size="sm" reason={may.reason} busy={resend.isPending} onClick={() => resend.mutate()}>
            {t('sendAgain')}
          </Button>
        )}
      </div>
      <Rows aria-labelledby="mails">
        {mails.map(({ userId, name, state, error, detail }) => {
          const [icon, look] = LOOKS[state]
          return (
            <li key={userId} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-13">
              <div className="min-w-0 grow basis-40">
                <bdi className="font-medium break-words">{name}</bdi>
                {error && (
                  <p className="text-xs text-bad">
                    {t(`mailErrors.${error}`)} {detail !== null && t('mailDetail', { detail })}
                  </p>
                )}
              </div>
              <Pill icon={icon} look={look}>
                {t(`mailStates.${state}`)}
              </Pill>
            </li>
          )
        })}
      </Rows>
    </section>
  )
}
