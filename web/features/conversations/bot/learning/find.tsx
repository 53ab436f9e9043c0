import { useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Answer } from '../../../../client.ts'
import { useProblemText } from '../../../../problem.ts'
import { Button } from '../../../../ui/button.tsx'
import { FormError } from '../../../../ui/field.tsx'
import { SearchField } from '../../../../ui/search-field.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { passagesQuery } from '../queries.ts'
import { passageOf } from '../why/facts.ts'

interface Props {
  /** The version of the saved knowledge to search. */
  version: number
  /** Whether there are unsaved changes to the knowledge. */
  unsaved: boolean
  onAnswer: ((question: string) => void) | undefined
}

/** Finds the passages that the bot would retrieve for a question, without calling the model. */
export default function Find({ version, unsaved, onAnswer }: Props) {
  const t = useTranslations('bot.find')
  const problem = useProblemText()
  const { ws } = usePlace()
  const [asked, setAsked] = useState('')
  const { data, error, isPlaceholderData } = useQuery(passagesQuery(ws, version, asked))
  const shown = asked === '' ? undefined : data
  return (
    <section aria-labelledby="find-title" className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t pt-3">
      <h3 id="find-title" className="text-xs font-semibold">
        {t('title')}
      </h3>
      <p className="text-xs text-muted">{t('hint')}</p>
      <SearchField wide label={t('label')} value={asked} onChange={setAsked} />
      {unsaved && <p className="text-xs text-warn">{t('unsaved')}</p>}
      {error && asked !== '' && <FormError>{problem(error)}</FormError>}
      <div role="status" aria-busy={isPlaceholderData}>
        {shown && !error && (shown.data.length === 0 ? <None {...{ asked, onAnswer }} /> : <Found shown={shown} />)}
      </div>
    </section>
  )
}

function None({ asked, onAnswer }: { asked: string } & Pick<Props, 'onAnswer'>) {
  const t = useTranslations('bot.find')
  const know = useTranslations('bot.know')
  return (
    <div className="grid justify-items-start gap-2 rounded-lg border border-dashed border-line-strong p-3 text-13">
      <p className="flex items-start gap-2">
        <SearchX className="mt-0.5 size-4 shrink-0 text-muted" aria-hidden />
        <span>
          <strong className="font-semibold">{t('none')}</strong> <span className="text-muted">{t('noneBody')}</span>
        </span>
      </p>
      {onAnswer && (
        <Button size="sm" onClick={() => onAnswer(asked.slice(0, 500))}>
          {know('add')}
        </Button>
      )}
    </div>
  )
}

/** The passages, best first, each with its score and how often replies cite it. */
function Found({ shown }: { shown: Answer<'findPassages'> }) {
  const t = useTranslations('bot.find')
  const know = useTranslations('bot.know')
  const kinds = useTranslations('why.passages')
  const format = useFormatter()
  const { data, whole, passages } = shown
  const best = data[0]?.score ?? 1
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <p className="text-xs text-muted">{t(whole ? 'whole' : 'most', { count: data.length, all: passages })}</p>
      <ol className="divide-y rounded-lg border" aria-label={t('title')}>
        {data.map(({ id, text, score, words, replies }) => {
          const { kind, title, body } = passageOf({ id, text })
          const marked = (part: string) => <Marked text={part} words={words} />
          return (
            <li key={id} className="grid grid-cols-[minmax(0,1fr)] gap-0.5 px-3 py-2 text-xs">
              <p className="text-13 font-medium break-words">{title ? <bdi>{marked(title)}</bdi> : kinds(kind)}</p>
              <p dir="auto" className="line-clamp-3 break-words whitespace-pre-wrap text-muted">
                {marked(body)}
              </p>
              <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-muted tabular-nums">
                <span className="inline-flex items-center gap-1.5">
                  <span aria-hidden className="h-1 w-12 overflow-hidden rounded-full bg-hover">
                    <span
                      className="block h-full rounded-full bg-accent"
                      style={{ inlineSize: `${(score / best) * 100}%` }}
                    />
                  </span>
                  {t('score', {
                    score: format.number(score, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
                  })}
                </span>
                <span>{know('used', { count: replies })}</span>
              </p>
            </li>
          )
        })}
      </ol>
      <p className="text-xs text-muted">{t('words')}</p>
    </div>
  )
}

/** A text with the words of the question highlighted. */
const Marked = ({ text, words }: { text: string; words: string[] }) =>
  text.split(/([\p{L}\p{N}]+)/u).map((piece, at) =>
    words.includes(piece) ? (
      // oxlint-disable-next-line react/no-array-index-key -- pieces of a text that does not change
      <mark key={at} className="rounded-sm bg-ok-soft text-ok">
        {piece}
      </mark>
    ) : (
      piece
    ),
  )
