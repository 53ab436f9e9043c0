import { useQuery } from '@tanstack/react-query'
import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { Button } from '../../../../ui/button.tsx'
import { refusal, usePlace } from '../../../shell/workspace.tsx'
import { gapsQuery } from '../queries.ts'

/** How many gaps to show at first. */
const FIRST = 3

/** Customer questions that the knowledge does not answer. An answer given here becomes part of the knowledge. */
export function Gaps({ onAnswer }: { onAnswer: ((question: string) => void) | undefined }) {
  const t = useTranslations('bot.gaps')
  const format = useFormatter()
  const { ws, membership } = usePlace()
  const { data: gaps = [] } = useQuery({ ...gapsQuery(ws), enabled: !refusal(membership, 'listKnowledgeGaps') })
  const [all, setAll] = useState(false)
  if (gaps.length === 0) return null
  return (
    <section aria-labelledby="gaps-title">
      <h3 id="gaps-title" className="flex items-center gap-1.5 pb-1 text-xs font-semibold">
        <CircleHelp className="size-3.5 text-warn" aria-hidden />
        {t('title')}
        <span className="font-medium text-muted tabular-nums">{format.number(gaps.length)}</span>
        <span className="font-normal text-muted">{t('hint')}</span>
      </h3>
      <ul className="divide-y rounded-lg border border-warn/25 bg-warn-soft/40">
        {gaps.slice(0, all ? undefined : FIRST).map(({ question, count }) => (
          <li key={question} className="flex min-h-10 items-center gap-2 py-1 ps-3 pe-1.5">
            <bdi className="min-w-0 grow text-13 font-medium break-words">{question}</bdi>
            <span className="shrink-0 text-xs text-muted tabular-nums">{t('asked', { count })}</span>
            {onAnswer && (
              <Button size="sm" aria-label={t('answerThis', { question })} onClick={() => onAnswer(question)}>
                {t('answer')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {gaps.length > FIRST && !all && (
        <Button variant="ghost" size="sm" className="-ms-2.5 mt-1 text-accent-text!" onClick={() => setAll(true)}>
          {t('all', { count: gaps.length })}
        </Button>
      )}
    </section>
  )
}
