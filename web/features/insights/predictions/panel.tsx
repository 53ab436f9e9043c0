import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { EngagementPrediction, Predictions } from '../../../../src/insights/predictions/api.ts'
import { hasNoSkill, hasSkill } from '../../../../src/insights/predictions/rules.ts'
import { kindOf } from '../../../../src/publishing/posts/compose/rules.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { call } from '../../../client.ts'
import { NetworkMark } from '../../../ui/network.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { Interval } from './interval.tsx'
import { accuracyQuery, predictionsQuery } from './queries.ts'
import { useReasonWords } from './words.ts'

/** Milliseconds without changes to the post before its version is predicted. */
const UNCHANGED_MS = 2500

/** What an unpublished post can expect on each of its accounts. Purely informative: it blocks nothing. */
export default function PredictionPanel({ post }: { post: Post }) {
  const t = useTranslations('predictions')
  const { ws } = usePlace()
  const { hidden, reason } = useMay('listPredictions')
  const query = useQuery({ ...predictionsQuery(ws, post.id), enabled: !hidden && reason === null })
  usePredicting(post, query.data)
  const targets = post.publications.filter(({ dropped }) => !dropped)
  if (hidden || targets.length === 0 || query.data?.data.length === 0) return null
  return (
    <section
      aria-labelledby="prediction-title"
      className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-[10px] border p-4"
    >
      <div>
        <h2 id="prediction-title" className="text-13 font-semibold">
          {t('title')}
        </h2>
        <p className="text-xs text-muted">{reason ?? t('lead')}</p>
      </div>
      {reason === null && (
        <Loaded query={query} skeleton={<div className="skeleton h-20" aria-hidden />}>
          {({ data }) => (
            <ul className="grid grid-cols-[minmax(0,1fr)] gap-4">
              {targets.map(({ accountId, accountName, platform }) => {
                const found = data.find((one) => one.accountId === accountId)
                if (!found) return null
                return (
                  <li key={accountId} className="grid grid-cols-[minmax(0,1fr)] gap-2">
                    {targets.length > 1 && (
                      <h3 className="flex items-center gap-2 text-xs font-medium">
                        <NetworkMark platform={platform} small label />
                        <bdi className="clip">{accountName}</bdi>
                      </h3>
                    )}
                    {found.verdict === 'predicted' ? (
                      <Told prediction={found} />
                    ) : (
                      <p className="text-13">
                        {t('needed', found)}. <span className="text-muted">{t('neededWhy', found)}</span>
                      </p>
                    )}
                  </li>
                )
              })}
            </ul>
          )}
        </Loaded>
      )}
    </section>
  )
}

/** Predicts the current version once it stops changing, if the person has permission. */
function usePredicting(post: Post, known: Predictions | undefined): void {
  const { id, version, publications } = post
  const client = useQueryClient()
  const { ws, membership } = usePlace()
  const may = !refusal(membership, 'makePredictions')
  const { mutate } = useMutation({
    mutationFn: () => call('makePredictions', { workspace: ws, params: { id }, body: {} }),
    onSuccess: (made) => client.setQueryData(predictionsQuery(ws, id).queryKey, made),
  })
  const isOld =
    known !== undefined &&
    publications.some(({ accountId, platform, dropped }) => {
      if (kindOf(post, platform) === 'story') return false
      const found = known.data.find((one) => one.accountId === accountId)
      return !dropped && (found === undefined || (found.verdict === 'predicted' && found.version !== version))
    })
  useEffect(() => {
    if (!may || !isOld) return
    const timer = setTimeout(mutate, UNCHANGED_MS)
    return () => clearTimeout(timer)
  }, [may, isOld, version, mutate])
}

function Told({ prediction }: { prediction: EngagementPrediction }) {
  const t = useTranslations('predictions')
  const format = useFormatter()
  const reasonWords = useReasonWords()
  const { ws } = usePlace()
  const { data: accuracy } = useQuery(accuracyQuery(ws, prediction.accountId))
  const { n, percentile, reasons } = prediction
  const isBare = accuracy !== undefined && hasNoSkill(accuracy)
  return (
    <>
      <Interval {...prediction} />
      {!isBare && (
        <p className="text-13">
          {t('percentile', { share: format.number(percentile / 100, { style: 'percent' }), count: n })}
        </p>
      )}
      {!isBare && reasons.length > 0 && (
        <ul aria-label={t('reasons')} className="flex flex-wrap gap-2">
          {reasons.map((reason) => (
            <li key={reason.factor} className="inline-flex max-w-full gap-1.5 rounded-md bg-sunken px-2 py-1 text-xs">
              <bdi className="clip">{reasonWords(reason)}</bdi>
              <bdi dir="ltr" className="shrink-0 font-medium tabular-nums">
                ×{format.number(reason.ratio, { maximumFractionDigits: 2 })}
              </bdi>
            </li>
          ))}
        </ul>
      )}
      {accuracy && (
        <p className="text-xs text-muted">
          {accuracy.of === 0 ? t('noOutcomes') : t('accuracy', { inside: accuracy.inside, of: accuracy.of })}
          {isBare && ` ${t('noSkill')}`}
          {hasSkill(accuracy) && ` ${t('skill', { share: format.number(accuracy.skill ?? 0, { style: 'percent' }) })}`}
        </p>
      )}
    </>
  )
}
