import { clsx } from 'clsx'
import { GitCompareArrows } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Decision } from '../../../../../src/conversations/decisions/api.ts'
import { lazy } from '../../../../ui/part.tsx'
import { useDegree } from '../degree.ts'
import { compared, outcomeOf, VERDICTS } from './tried.ts'
import { VerdictPill } from './verdict.tsx'

const WhyDialog = lazy(() => import('../why/why-dialog.tsx'))

interface Props {
  texts: string[]
  saved: Decision[]
  /** null without unsaved changes. */
  tried: Decision[] | null
}

/** The outcome of each question, next to each other; differences come first. */
export function Comparison({ texts, saved, tried }: Props) {
  const t = useTranslations('bot.try')
  const [why, setWhy] = useState<string | null>(null)
  const rows = compared(texts, saved, tried ?? [])
  const differ = rows.filter(({ differs }) => differs).length
  const head = 'px-3 py-2 text-start text-xs font-semibold text-muted'
  return (
    <section aria-label={t('results')} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Totals saved={saved} tried={tried} />
      {tried && (
        <p className="flex items-center gap-1.5 text-13 font-medium">
          <GitCompareArrows className="size-4 text-muted" aria-hidden />
          {t('differ', { count: differ })}
        </p>
      )}
      <div className="card overflow-hidden">
        <table className="block w-full text-13 sm:table sm:table-fixed">
          <thead className="border-b bg-sunken max-sm:sr-only">
            <tr>
              <th scope="col" className={clsx(head, 'w-1/3')}>
                {t('question')}
              </th>
              <th scope="col" className={head}>
                {t(tried ? 'savedSide' : 'outcome')}
              </th>
              {tried && (
                <th scope="col" className={head}>
                  {t('triedSide')}
                </th>
              )}
            </tr>
          </thead>
          <tbody className="block divide-y sm:table-row-group">
            {rows.map((row) => (
              <tr
                key={row.text}
                className={clsx('block px-3 py-2 sm:table-row sm:p-0', row.differs && 'bg-warn-soft/60')}
              >
                <td dir="auto" className="block align-top break-words sm:table-cell sm:px-3 sm:py-2">
                  {row.text}
                </td>
                <Side decision={row.saved} title={tried ? t('savedSide') : null} onWhy={setWhy} />
                {tried && <Side decision={row.tried} title={t('triedSide')} onWhy={setWhy} />}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Suspense>{why !== null && <WhyDialog id={why} onClose={() => setWhy(null)} />}</Suspense>
    </section>
  )
}

interface SideProps {
  decision: Decision | undefined
  /** The label on a phone, where the table head is hidden. */
  title: string | null
  onWhy: (id: string) => void
}

function Side({ decision, title, onWhy }: SideProps) {
  const t = useTranslations('bot.try')
  const words = useTranslations('why.draft')
  const degree = useDegree()
  return (
    <td className="block py-1.5 align-top sm:table-cell sm:px-3 sm:py-2">
      {title && <p className="pb-1 text-xs text-muted sm:hidden">{title}</p>}
      {decision && (
        <div className="grid gap-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <VerdictPill decision={decision} />
            {decision.confidence !== null && (
              <span className="text-xs text-muted tabular-nums">{degree(decision.confidence, decision.threshold)}</span>
            )}
            {decision.state === 'DONE' && (
              <button
                type="button"
                className="min-h-6 rounded-md px-1 text-xs font-medium text-muted underline hover:text-fg max-sm:min-h-11 max-sm:min-w-11"
                onClick={() => onWhy(decision.id)}
              >
                {words('why')}
              </button>
            )}
          </p>
          {decision.reply ? (
            <p dir="auto" className="line-clamp-3 break-words text-muted">
              {decision.reply}
            </p>
          ) : (
            decision.state === 'DONE' && <p className="text-xs text-muted">{t('noReply')}</p>
          )}
        </div>
      )}
    </td>
  )
}

/** How many messages would be sent, held and escalated. */
function Totals({ saved, tried }: Pick<Props, 'saved' | 'tried'>) {
  const t = useTranslations('bot.try')
  const format = useFormatter()
  const count = (decisions: Decision[], outcome: (typeof VERDICTS)[number]) =>
    decisions.filter((one) => one.state === 'DONE' && outcomeOf(one) === outcome).length
  const shown = VERDICTS.filter((one) => one !== 'IGNORED' || count([...saved, ...(tried ?? [])], one) > 0)
  return (
    <dl className="grid grid-cols-2 gap-2 sm:grid-cols-4">
      {shown.map((outcome) => {
        const [before, after] = [count(saved, outcome), tried && count(tried, outcome)]
        return (
          <div key={outcome} className="card px-3 py-2">
            <dt className="text-xs text-muted">{t(`outcomes.${outcome}`)}</dt>
            <dd className="flex items-baseline gap-2 text-xl font-semibold tracking-tight tabular-nums">
              {after !== null && after !== before ? (
                <>
                  <span className="text-base font-medium text-muted">
                    <span className="sr-only">{t('savedSide')}: </span>
                    {format.number(before)}
                  </span>
                  <span aria-hidden className="text-13 text-muted rtl:rotate-180">
                    →
                  </span>
                  <span>
                    <span className="sr-only">{t('triedSide')}: </span>
                    {format.number(after)}
                  </span>
                </>
              ) : (
                format.number(before)
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
