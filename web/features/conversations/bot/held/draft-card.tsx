import { ChevronDown, CirclePause, RefreshCw, Sparkles } from 'lucide-react'
import { Suspense, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import type { DraftReply } from '../../../../../src/conversations/decisions/api.ts'
import { shortcutsOn, useShortcuts, withKey } from '../../../../shortcuts.ts'
import { Button } from '../../../../ui/button.tsx'
import { Keys } from '../../../../ui/kbd.tsx'
import { lazy } from '../../../../ui/part.tsx'
import { useMay } from '../../../shell/workspace.tsx'
import { useHoldWords, useVetoWords } from '../why/steps.ts'
import { Degrees } from './degrees.tsx'
import { DraftEditor } from './draft-editor.tsx'
import { keepEdit, unsentEdit } from './unsent-edit.ts'
import { useDraft } from './use-draft.ts'
import { useSuggestion } from './use-suggestion.tsx'

const FlagDialog = lazy(() => import('./flag-dialog.tsx'))
const Why = lazy(async () => ({ default: (await import('../why/why.tsx')).Why }))

/** A draft reply: its text, why the bot did not send it, and the choices. */
export function DraftCard({ draft }: { draft: DraftReply }) {
  const t = useTranslations('why.draft')
  const hold = useHoldWords()
  const vetoes = useVetoWords()
  const may = useMay('approveDraftReply')
  const [open, setOpen] = useState(false)
  const { id, conversationId, messageId, privately } = draft
  const edit = unsentEdit(conversationId)
  const edited = edit?.draftId === id ? edit.text : undefined
  const [mode, setMode] = useState<'read' | 'edit' | 'flag'>(edited === undefined ? 'read' : 'edit')
  /** Whether the person has just asked to edit. A text that was kept takes no focus. */
  const [asked, setAsked] = useState(false)
  const editButton = useRef<HTMLButtonElement>(null)
  const startEdit = () => {
    setAsked(true)
    setMode('edit')
  }
  const dropEdit = () => {
    keepEdit(conversationId, null)
    flushSync(() => setMode('read'))
    editButton.current?.focus()
  }
  const decide = useDraft(draft, () => {
    keepEdit(conversationId, null)
    setMode('read')
  })
  const suggestion = useSuggestion(draft.conversationId)
  const works = !may.hidden && !may.reason
  const approve = () => !decide.isPending && decide.mutate({ do: 'approve' })
  // A key must not send the text of the bot while a person edits it.
  const hasKeys = works && mode !== 'edit'
  useShortcuts(hasKeys ? { 'shift a': approve, 'shift e': startEdit, 'shift f': () => setMode('flag') } : {})
  const suggested = draft.reason === 'suggested'
  return (
    <section
      aria-label={t(suggested ? 'suggested' : 'held')}
      data-draft={id}
      className="@container mx-3 mb-2 grid max-h-[55dvh] shrink-0 grid-cols-[minmax(0,1fr)] overflow-y-auto rounded-lg border border-hold/40 bg-surface lg:mx-4"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 bg-hold-soft px-3 py-2">
        <h3 className="flex min-w-0 grow items-center gap-2 text-13 font-semibold text-hold">
          {suggested ? (
            <Sparkles className="size-4 shrink-0" aria-hidden />
          ) : (
            <CirclePause className="size-4 shrink-0" aria-hidden />
          )}
          {t(suggested ? 'suggested' : 'held')}
        </h3>
        <Degrees confidence={draft.confidence} threshold={draft.threshold} />
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2.5 px-3 py-3">
        {!suggested && draft.reason !== 'confidence' && (
          <ul className="grid gap-0.5 text-xs text-muted">
            {(draft.reason === 'checks' ? vetoes(draft.vetoes) : [hold(draft.reason)]).map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        )}
        {mode === 'edit' ? (
          <DraftEditor
            text={draft.text}
            edited={edited}
            focuses={asked}
            busy={decide.isPending}
            onWrite={(text) =>
              keepEdit(conversationId, text === draft.text ? null : { draftId: id, messageId, text, privately })
            }
            onSend={(text) => decide.mutate({ do: 'approve', text })}
            onClose={dropEdit}
          />
        ) : (
          <p dir="auto" className="text-13 break-words whitespace-pre-wrap max-sm:text-15 max-sm:leading-6">
            {draft.text}
          </p>
        )}
        {privately && <p className="text-xs text-muted">{t('privately')}</p>}
        {mode !== 'edit' && (
          <div className="flex flex-wrap items-center gap-2">
            {!may.hidden && (
              <>
                <Button
                  variant="primary"
                  busy={decide.isPending}
                  reason={may.reason}
                  aria-keyshortcuts="Shift+A"
                  title={withKey(t('approve'), '⇧A')}
                  className="max-sm:grow"
                  onClick={approve}
                >
                  {t('approve')}
                  <Key letter="A" />
                </Button>
                <Button
                  ref={editButton}
                  reason={may.reason}
                  aria-keyshortcuts="Shift+E"
                  title={withKey(t('edit'), '⇧E')}
                  onClick={startEdit}
                >
                  {t('edit')}
                  <Key letter="E" />
                </Button>
                <Button
                  reason={may.reason}
                  aria-keyshortcuts="Shift+F"
                  title={withKey(t('flag'), '⇧F')}
                  onClick={() => setMode('flag')}
                >
                  {t('flag')}
                  <Key letter="F" />
                </Button>
                <Button
                  variant="ghost"
                  size="icon"
                  busy={suggestion.busy}
                  reason={suggestion.reason}
                  aria-label={t('again', { count: suggestion.cost })}
                  title={t('again', { count: suggestion.cost })}
                  onClick={suggestion.ask}
                >
                  <RefreshCw className="size-4" aria-hidden />
                </Button>
              </>
            )}
            <Button variant="ghost" aria-expanded={open} className="ms-auto" onClick={() => setOpen(!open)}>
              {t('why')}
              <ChevronDown className={open ? 'size-4 rotate-180' : 'size-4'} aria-hidden />
            </Button>
          </div>
        )}
        {suggestion.problem && (
          <div role="alert" className="text-xs text-bad">
            {suggestion.problem}
          </div>
        )}
      </div>
      {open && (
        <div className="border-t bg-bg px-3 py-3">
          <Suspense fallback={<div className="skeleton h-24" aria-hidden />}>
            <Why id={draft.decisionId} held />
          </Suspense>
        </div>
      )}
      <Suspense>
        {mode === 'flag' && (
          <FlagDialog
            busy={decide.isPending}
            onFlag={(reason, note) => decide.mutate({ do: 'flag', reason, ...(note && { note }) })}
            onClose={() => setMode('read')}
          />
        )}
      </Suspense>
    </section>
  )
}

const Key = ({ letter }: { letter: string }) =>
  shortcutsOn() && (
    <span aria-hidden className="max-sm:hidden">
      <Keys keys={[`⇧${letter}`]} />
    </span>
  )
