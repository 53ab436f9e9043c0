import { CirclePause } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Decision } from '../../../../../src/conversations/decisions/api.ts'
import { factsOf, markedBy, passageOf } from './facts.ts'
import { useVetoWords } from './steps.ts'

/** The passages that a reply cites, with the words of the question highlighted. */
export function Sources({
  decision,
}: {
  decision: Pick<Decision, 'sources' | 'contextSnapshot' | 'reply' | 'vetoes'>
}) {
  const t = useTranslations('why')
  const vetoes = useVetoWords()
  const { sources, reply } = decision
  const question = factsOf(decision.contextSnapshot)?.message?.text ?? ''
  return (
    <>
      {decision.vetoes.length > 0 && (
        <ul className="grid gap-1 text-xs text-hold">
          {vetoes(decision.vetoes).map((words) => (
            <li key={words} className="flex items-start gap-1.5">
              <CirclePause className="mt-px size-3.5 shrink-0" aria-hidden />
              {words}
            </li>
          ))}
        </ul>
      )}
      {sources.map((source) => {
        const { kind, title, body } = passageOf(source)
        return (
          <blockquote key={source.id} className="border-s-2 border-line-strong ps-3 text-xs text-muted">
            <p className="font-medium text-fg">
              {t(`passages.${kind}`)}
              {title && (
                <>
                  {': '}
                  <bdi>{title}</bdi>
                </>
              )}
            </p>
            <p dir="auto" className="break-words whitespace-pre-wrap">
              {markedBy(body, question).map(({ piece, marked }, at) =>
                marked ? (
                  // oxlint-disable-next-line react/no-array-index-key -- pieces of a text that does not change
                  <mark key={at} className="rounded-sm bg-ok-soft text-ok">
                    {piece}
                  </mark>
                ) : (
                  piece
                ),
              )}
            </p>
          </blockquote>
        )
      })}
      {sources.length === 0 && reply !== null && <p className="text-xs text-muted">{t('noSources')}</p>}
    </>
  )
}
