import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { RowFault, RowVerdict, Verdicts } from '../../../../src/publishing/transfer/api.ts'
import { calledColumn } from '../../../../src/publishing/transfer/rules.ts'
import { useMaybe } from '../../../i18n.tsx'
import { isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { useCheckWords } from '../../../service-words.ts'
import { Button } from '../../../ui/button.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { useMoment } from '../../shell/moment.ts'
import { PlanLink } from '../../team/plan/plan-link.tsx'

type Verdict = RowVerdict['verdict']

const marks = {
  ok: [CircleCheck, 'text-ok'],
  warning: [TriangleAlert, 'text-warn'],
  error: [CircleAlert, 'text-bad'],
} as const

interface Props {
  verdicts: Verdicts
  busy: boolean
  error: unknown
  onSave: (lines: number[]) => void
  onAgain: () => void
}

/** What will happen to each row, with a button to save the valid ones. */
export function VerdictList({ verdicts: { rows, unknownColumns, timezone }, busy, error, onSave, onAgain }: Props) {
  const t = useTranslations('transfer')
  const why = useProblemText()
  const [only, setOnly] = useState<Verdict | null>(null)
  const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length
  const good = rows.filter(({ verdict }) => verdict !== 'error')
  return (
    <>
      <div role="status" className="grid gap-1">
        <h2 className="text-sm font-semibold">{t('looked', { count: rows.length })}</h2>
        <p className="text-13 text-muted">{t('zone', { zone: timezone })}</p>
        {unknownColumns.length > 0 && (
          <p className="text-13 text-muted">{t('unknownColumns', { names: unknownColumns.join(', ') })}</p>
        )}
      </div>
      <div className="flex flex-wrap gap-1.5" role="group" aria-label={t('show')}>
        {([null, 'error', 'warning', 'ok'] as const).map((verdict) => (
          <Button
            key={verdict ?? 'all'}
            size="sm"
            variant={only === verdict ? 'primary' : 'secondary'}
            aria-pressed={only === verdict}
            onClick={() => setOnly(verdict)}
          >
            {verdict ? t(`verdict.${verdict}`) : t('all')} <bdi>{verdict ? count(verdict) : rows.length}</bdi>
          </Button>
        ))}
      </div>
      <ul className="card divide-y">
        {rows
          .filter(({ verdict }) => !only || verdict === only)
          .map((row) => (
            <Row key={row.line} row={row} />
          ))}
      </ul>
      {error != null && (
        <p role="alert" className="rounded-lg bg-bad-soft px-3 py-2 text-13 text-bad">
          {why(error)} {isProblem(error, 'quota_exceeded') && <PlanLink quota="posts" />}
        </p>
      )}
      <div className="sticky bottom-0 flex flex-wrap gap-2 border-t bg-surface py-3">
        <Button
          variant="primary"
          busy={busy}
          reason={good.length === 0 ? t('noneGood') : null}
          onClick={() => onSave(good.map(({ line }) => line))}
        >
          {t('save', { count: good.length })}
        </Button>
        <Button onClick={onAgain}>{t('again')}</Button>
      </div>
    </>
  )
}

function Row({ row }: { row: RowVerdict }) {
  const t = useTranslations('transfer')
  const moment = useMoment()
  const words = useCheckWords()
  const [Mark, colour] = marks[row.verdict]
  return (
    <li className="flex gap-3 px-3 py-2.5 text-13">
      <Mark className={`mt-0.5 size-4 shrink-0 ${colour}`} aria-label={t(`verdict.${row.verdict}`)} role="img" />
      <div className="grid min-w-0 grow gap-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="text-xs text-muted">{t('line', { line: row.line })}</span>
          <span dir="auto" className="max-w-full min-w-0 clip font-medium">
            {row.caption || t('noText')}
          </span>
        </p>
        <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          {t(`action.${row.action}`)}
          {row.scheduledAt && <time dateTime={row.scheduledAt}>{moment(row.scheduledAt, 'any')}</time>}
          {row.platforms.map((platform) => (
            <NetworkMark key={platform} platform={platform} />
          ))}
        </p>
        {row.faults.map((fault) => (
          <Fault key={`${fault.column} ${fault.code} ${fault.value}`} fault={fault} />
        ))}
        {row.warnings.map((fault) => (
          <Fault key={`${fault.code} ${fault.value}`} fault={fault} />
        ))}
        {row.checks.map((check) => {
          const said = words(check)
          return (
            <p
              key={`${check.code} ${check.target} ${check.field}`}
              className={check.severity === 'error' ? 'text-bad' : ''}
            >
              {said.message} <span className="text-muted">{said.fix}</span>
            </p>
          )
        })}
      </div>
    </li>
  )
}

function Fault({ fault: { column, code, value, message } }: { fault: RowFault }) {
  const maybe = useMaybe()
  const values = { value: value ?? '' }
  const known = maybe(`transfer.faults.${code}`, message, values)
  return (
    <p>
      {column && (
        <code dir="ltr" className="me-1.5 rounded bg-sunken px-1 text-xs">
          {calledColumn(column)}
        </code>
      )}
      {maybe(`transfer.faults.${code}_${column?.split(' ').at(-1)}`, known, values)}
    </p>
  )
}
