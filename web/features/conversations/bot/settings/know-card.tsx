import { useQuery } from '@tanstack/react-query'
import { BookOpen, Plus } from 'lucide-react'
import { Suspense, useDeferredValue, useMemo, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { BotConfig } from '../../../../../src/conversations/bot/config/api.ts'
import { toast } from '../../../../toast.ts'
import { Button } from '../../../../ui/button.tsx'
import { lazy } from '../../../../ui/part.tsx'
import { RowActs } from '../../../../ui/row.tsx'
import { SearchField } from '../../../../ui/search-field.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { Gaps } from '../learning/gaps.tsx'
import { FIGURE_DAYS, statsQuery } from '../queries.ts'
import { Card } from './card.tsx'
import { citationKey, type KnowledgeEntry, entriesOf, foundEntries, keyOf, without } from './entries.ts'
import { same } from './fields.ts'
import type { CardProps } from './use-settings.ts'

const Find = lazy(() => import('../learning/find.tsx'))
const ImportDialog = lazy(() => import('../learning/import-dialog.tsx'))
const EntryDialog = lazy(async () => ({ default: (await import('./entry-dialog.tsx')).EntryDialog }))

const MOST_ANSWERS = 500
/** In bytes of their JSON. */
const LARGEST_TEXTS = 100_000
/** How many rows to show at first, and how many to add each time. */
const [FIRST, MORE] = [6, 50]

/** What the bot knows: answers to questions, and named texts. */
export function KnowCard({ now, base, set, fixed, fault, changed }: CardProps & { base: BotConfig; changed: number }) {
  const t = useTranslations('bot.know')
  const format = useFormatter()
  const [sought, setSought] = useState('')
  const [most, setMost] = useState(FIRST)
  const [open, setOpen] = useState<KnowledgeEntry | { question: string } | null>(null)
  const [importing, setImporting] = useState(false)
  const { faqEntries, knowledgeBase } = now
  const entries = useMemo(() => entriesOf({ faqEntries, knowledgeBase }), [faqEntries, knowledgeBase])
  const deferred = useDeferredValue(sought)
  const found = useMemo(() => foundEntries(entries, deferred), [entries, deferred])
  const replies = useCitations()
  const size = useMemo(() => new TextEncoder().encode(JSON.stringify(knowledgeBase)).length, [knowledgeBase])
  const remove = (entry: KnowledgeEntry) => {
    set(without(now, entry))
    toast.success(t('removed'), {
      action: { label: t('undo'), onClick: () => set(entry.kind === 'answer' ? { faqEntries } : { knowledgeBase }) },
    })
  }
  const said = faultOf(fault)
  return (
    <Card
      id="know"
      number={5}
      title={t('title')}
      end={
        !fixed && (
          <>
            <Button variant="ghost" size="sm" reason={changed > 0 && t('saveFirst')} onClick={() => setImporting(true)}>
              {t('import')}
            </Button>
            <Button size="sm" onClick={() => setOpen({ question: '' })}>
              <Plus className="size-4" aria-hidden />
              {t('add')}
            </Button>
          </>
        )
      }
    >
      <Gaps onAnswer={fixed ? undefined : (question) => setOpen({ question })} />
      {entries.length === 0 ? (
        <div className="flex items-start gap-2 rounded-lg border border-dashed border-line-strong p-3 text-13 text-muted">
          <BookOpen className="mt-0.5 size-4 shrink-0" aria-hidden />
          <p>{t('none')}</p>
        </div>
      ) : (
        <>
          {entries.length > FIRST && (
            <SearchField
              label={t('search')}
              value={sought}
              onChange={(text) => {
                setSought(text)
                setMost(FIRST)
              }}
            />
          )}
          <div>
            <h3 className="flex items-baseline gap-1.5 pb-1 text-xs font-semibold">
              {t('entries')}
              <span className="font-medium text-muted tabular-nums">{format.number(entries.length)}</span>
            </h3>
            {found.length === 0 && (
              <p role="status" className="border-t py-3 text-13 text-muted">
                {t('noMatch')}
              </p>
            )}
            <ul className="grid grid-cols-[minmax(0,1fr)]">
              {found.slice(0, most).map((entry) => (
                <li key={keyOf(entry)} className="flex min-h-10 items-center gap-1 border-t py-1">
                  <button
                    type="button"
                    className="group grid min-h-8 min-w-0 grow grid-cols-[minmax(0,1fr)] content-center rounded-md text-start max-sm:min-h-11"
                    onClick={() => setOpen(entry)}
                  >
                    <bdi className="clip text-13 group-hover:underline">{entry.title}</bdi>
                    <span className="clip text-xs text-muted tabular-nums">
                      {t(`kinds.${entry.kind}`)}
                      {replies && ` · ${t('used', { count: replies.get(citationKey(entry)) ?? 0 })}`}
                    </span>
                  </button>
                  {!fixed && (
                    <RowActs
                      edit={t('editThis', { name: entry.title })}
                      onEdit={() => setOpen(entry)}
                      remove={t('removeThis', { name: entry.title })}
                      onRemove={() => remove(entry)}
                    />
                  )}
                </li>
              ))}
            </ul>
            {found.length > most && (
              <Button
                variant="ghost"
                size="sm"
                className="-ms-2.5 mt-1 text-accent-text!"
                onClick={() => setMost(most === FIRST ? MORE : most + MORE)}
              >
                {most === FIRST ? t('all', { count: found.length }) : t('more')}
              </Button>
            )}
            <p className="border-t pt-2 text-xs text-muted">{t('languages')}</p>
          </div>
          <Suspense fallback={<div className="skeleton h-20" aria-hidden />}>
            <Find
              version={base.version}
              unsaved={!same(faqEntries, base.faqEntries) || !same(knowledgeBase, base.knowledgeBase)}
              onAnswer={fixed ? undefined : (question) => setOpen({ question })}
            />
          </Suspense>
        </>
      )}
      {size > LARGEST_TEXTS * 0.8 && (
        <p className="text-xs text-warn tabular-nums">{t('size', { size, most: LARGEST_TEXTS })}</p>
      )}
      {said && (
        <p role="alert" className="text-xs text-bad">
          {said}
        </p>
      )}
      <Suspense>{importing && <ImportDialog onClose={() => setImporting(false)} />}</Suspense>
      {open && (
        <Suspense>
          <EntryDialog
            entry={'question' in open ? null : open}
            {...('question' in open && { begin: { title: open.question } })}
            knowledge={now}
            fixed={fixed}
            full={faqEntries.length >= MOST_ANSWERS}
            onWritten={(change) => {
              set(change)
              setOpen(null)
            }}
            onClose={() => setOpen(null)}
          />
        </Suspense>
      )}
    </Card>
  )
}

/** How many replies of the last 30 days cite each entry, by its key; undefined while loading. */
function useCitations(): Map<string, number> | undefined {
  const { ws } = usePlace()
  const { data } = useQuery(statsQuery(ws, FIGURE_DAYS))
  return useMemo(
    () => data && new Map(data.cited.map(({ kind, title, replies }) => [`${kind} ${title}`, replies])),
    [data],
  )
}

/** The service's error about the knowledge, in whichever part. */
const faultOf = (fault: CardProps['fault']) => fault('/knowledgeBase') ?? fault('/faqEntries')
