import { useFormatter, useTranslations } from 'use-intl'
import type { Decision } from '../../../../../src/conversations/decisions/api.ts'
import { useMoment } from '../../../shell/moment.ts'
import { shownSteps } from './steps.ts'

/** Everything that the decision considered, as stored. Collapsed, because few people need it. */
export function Considered({ decision }: { decision: Decision }) {
  const t = useTranslations('why')
  const format = useFormatter()
  const moment = useMoment()
  const { contextSnapshot, usage, credits, createdAt, rulesVersion } = decision
  return (
    <details className="group text-xs">
      <summary className="w-fit rounded-md py-1 font-medium text-muted hover:text-fg max-sm:py-3">
        {t('considered')}
      </summary>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 py-2">
        <dt className="text-muted">{t('at')}</dt>
        <dd>{moment(createdAt)}</dd>
        <dt className="text-muted">{t('rules')}</dt>
        <dd className="tabular-nums">{format.number(rulesVersion)}</dd>
        {usage && (
          <>
            <dt className="text-muted">{t('model')}</dt>
            <dd className="break-words">
              <bdi dir="ltr">{usage.model}</bdi>
            </dd>
          </>
        )}
        <dt className="text-muted">{t('cost')}</dt>
        <dd>{t('credits', { count: credits })}</dd>
      </dl>
      {contextSnapshot === null ? (
        <p className="text-muted">{t(shownSteps(decision).length === 0 ? 'erased' : 'expired')}</p>
      ) : (
        <pre
          dir="ltr"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keys
          tabIndex={0}
          className="max-h-72 overflow-auto rounded-md border bg-sunken p-2 text-start text-2xs break-words whitespace-pre-wrap"
        >
          {JSON.stringify(contextSnapshot, null, 2)}
        </pre>
      )}
    </details>
  )
}
