import { ChartLine, Table2 } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { MeasuredPost, PostMetric } from '../../../../src/insights/metrics/api.ts'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import { useMoment } from '../../shell/moment.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { ageOf, courseOf, type PostFigure } from './rules.ts'

const Curve = lazy(() => import('../chart/curve.tsx'))

interface Props {
  post: MeasuredPost
  metrics: PostMetric[]
  figure: PostFigure
}

/** How one figure grew: a sentence, and a curve or a table. */
export function Course({ metrics, figure }: Props) {
  const t = useTranslations('figures')
  const format = useFormatter()
  const { workspace } = usePlace()
  const [isTable, setTable] = useState(false)
  const points = useMemo(
    () => metrics.map((metric) => ({ at: metric.readAt, value: metric[figure] })),
    [metrics, figure],
  )
  const course = courseOf(metrics, figure)
  if (!course) return null
  const dayOf = (day: string) =>
    format.dateTime(new Date(`${day}T12:00Z`), { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
  const value = (number: number | null) => (number === null ? t('noneSpoken') : format.number(number))
  const sentence = [
    t('sentence', { metric: t(`metrics.${figure}`), value: value(course.last.value), ...ageOf(course.last.hours) }),
    ...(course.half === null ? [] : [t('half', ageOf(course.half))]),
    ...(course.most === null ? [] : [t('fell', { most: value(course.most.value), day: dayOf(course.most.day) })]),
  ].join(' ')
  return (
    <figure className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <figcaption className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <p className="min-w-0 grow basis-60 text-13">{sentence}</p>
        {points.length > 1 && (
          <Button size="sm" variant="ghost" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? <ChartLine className="size-3.5" aria-hidden /> : <Table2 className="size-3.5" aria-hidden />}
            {t(isTable ? 'asChart' : 'asTable')}
          </Button>
        )}
      </figcaption>
      {points.length < 2 && <p className="text-xs text-muted">{t('oneReading')}</p>}
      {isTable ? (
        <Days metrics={metrics} figure={figure} dayOf={dayOf} />
      ) : (
        <>
          <Suspense fallback={<div className="skeleton h-55" aria-hidden />}>
            <Curve
              points={points}
              label={`${sentence} ${t('keys')}`}
              timeZone={workspace.timezone}
              say={({ at, value: number }) => {
                const day = metrics.find(({ readAt }) => readAt === at)?.day
                return t('point', { day: day === undefined ? '' : dayOf(day), value: value(number) })
              }}
            />
          </Suspense>
        </>
      )}
    </figure>
  )
}

function Days({ metrics, figure, dayOf }: Pick<Props, 'metrics' | 'figure'> & { dayOf: (day: string) => string }) {
  const t = useTranslations('figures')
  const format = useFormatter()
  const moment = useMoment()
  return (
    <table className="w-full text-13 tabular-nums">
      <thead>
        <tr className="text-xs text-muted">
          <th scope="col" className="py-1.5 text-start font-medium">
            {t('day')}
          </th>
          <th scope="col" className="py-1.5 text-end font-medium">
            {t(`metrics.${figure}`)}
          </th>
          <th scope="col" className="py-1.5 text-end font-medium">
            {t('after')}
          </th>
        </tr>
      </thead>
      <tbody>
        {metrics.toReversed().map((metric) => {
          const number = metric[figure]
          return (
            <tr key={metric.day} className="border-t">
              <th scope="row" className="py-1.5 text-start font-normal">
                {dayOf(metric.day)}
              </th>
              <td className="py-1.5 text-end font-medium">
                {number === null ? (
                  <>
                    <span aria-hidden>{t('none')}</span>
                    <span className="sr-only">{t('noneSpoken')}</span>
                  </>
                ) : (
                  format.number(number)
                )}
              </td>
              <td className="py-1.5 text-end text-muted">{moment(metric.readAt, 'today')}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
