import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowUpRight, ChevronRight } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import type { DraftReply } from '../../../../../src/conversations/decisions/api.ts'
import { shortcutsOn, useShortcuts, withKey } from '../../../../shortcuts.ts'
import { Button, buttonClass } from '../../../../ui/button.tsx'
import { Keys } from '../../../../ui/kbd.tsx'
import { lazy } from '../../../../ui/part.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { threadQuery } from '../../inbox/queries.ts'
import { Degrees } from '../held/degrees.tsx'
import { DraftEditor } from '../held/draft-editor.tsx'
import type { Choice } from '../held/use-draft.ts'
import { decisionQuery } from '../queries.ts'
import { useHoldWords, useVetoWords } from '../why/steps.ts'
import { Sources } from '../why/sources.tsx'

const FlagDialog = lazy(() => import('../held/flag-dialog.tsx'))

interface Props {
  draft: DraftReply
  works: boolean
  /** Why the draft no longer waits. */
  gone: string | null
  /** The unsent edited text. */
  edited: string | undefined
  onEdit: (text: string | null) => void
  /** Whether the heading takes the focus, so that the draft is read aloud after the previous one. */
  focuses: boolean
  onChoice: (choice: Choice) => void
  onNext: (() => void) | undefined
}

/** One draft reply, with the question above it and its sources below. */
export function Review({ draft, works: may, gone, edited, onEdit, focuses, onChoice, onNext }: Props) {
  const t = useTranslations('why.review')
  const words = useTranslations('why.draft')
  const hold = useHoldWords()
  const vetoes = useVetoWords()
  const { ws } = usePlace()
  const [mode, setMode] = useState<'read' | 'edit' | 'flag'>(edited === undefined ? 'read' : 'edit')
  const works = may && gone === null
  const heading = useRef<HTMLHeadingElement>(null)
  const [takesFocus] = useState(focuses && edited === undefined)
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus])
  const editButton = useRef<HTMLButtonElement>(null)
  // Provides the messages before the question, for context.
  const thread = useQuery(threadQuery(ws, draft.conversationId)).data
  const decision = useQuery(decisionQuery(ws, draft.decisionId)).data
  const before = thread?.messages.filter(({ id, kind }) => id < draft.messageId && kind !== 'NOTE').slice(-2) ?? []
  useShortcuts(
    // A key must not send the text of the bot while a person edits it.
    works && mode !== 'edit'
      ? {
          'shift a': () => onChoice({ do: 'approve' }),
          'shift e': () => setMode('edit'),
          'shift f': () => setMode('flag'),
        }
      : {},
  )
  return (
    <article aria-label={draft.customer} className="card max-w-3xl overflow-hidden">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2.5">
        <h2 ref={heading} tabIndex={-1} className="min-w-0 grow text-13 font-semibold outline-none">
          <bdi>{draft.customer}</bdi>
        </h2>
        <Link
          to="/w/$ws/inbox"
          params={{ ws }}
          search={{ filter: 'review', id: draft.conversationId }}
          className={buttonClass('ghost', 'sm')}
        >
          {t('open')}
          <ArrowUpRight className="size-3.5 rtl:-scale-x-100" aria-hidden />
        </Link>
      </header>
      <div className="grid gap-2 px-4 py-3">
        {before.map((message) => (
          <p
            key={message.id}
            dir="auto"
            className={
              message.direction === 'IN'
                ? 'line-clamp-2 justify-self-start text-xs text-muted'
                : 'line-clamp-2 justify-self-end text-xs text-muted'
            }
          >
            {message.text}
          </p>
        ))}
        <p
          dir="auto"
          className="max-w-[88%] justify-self-start rounded-xl rounded-es-sm bg-hover px-3 py-2 text-13 break-words whitespace-pre-wrap"
        >
          {draft.question}
        </p>
      </div>
      <div className="grid gap-3 border-t border-hold/40 bg-hold-soft/50 px-4 py-3">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <ul className="grid min-w-0 grow gap-0.5 text-xs text-hold">
            {(draft.reason === 'checks' ? vetoes(draft.vetoes) : [hold(draft.reason)]).map((said) => (
              <li key={said}>{said}</li>
            ))}
          </ul>
          <Degrees confidence={draft.confidence} threshold={draft.threshold} />
        </div>
        {gone !== null && (
          <p role="alert" className="text-13 font-medium">
            {gone}
          </p>
        )}
        {mode === 'edit' ? (
          <DraftEditor
            text={draft.text}
            edited={edited}
            focuses
            busy={false}
            refused={gone}
            onWrite={onEdit}
            onSend={(text) => onChoice({ do: 'approve', text })}
            onClose={() => {
              onEdit(null)
              flushSync(() => setMode('read'))
              editButton.current?.focus()
            }}
          />
        ) : (
          <p dir="auto" className="text-15 leading-6 break-words whitespace-pre-wrap">
            {draft.text}
          </p>
        )}
        {draft.privately && <p className="text-xs text-muted">{words('privately')}</p>}
        {(mode !== 'edit' || gone !== null) && (works || onNext) && (
          <div className="flex flex-wrap items-center gap-2">
            {works && (
              <>
                <Button
                  variant="primary"
                  className="max-sm:grow"
                  aria-keyshortcuts="Shift+A"
                  title={withKey(words('approve'), '⇧A')}
                  onClick={() => onChoice({ do: 'approve' })}
                >
                  {words('approve')}
                  <Key name="⇧A" />
                </Button>
                <Button
                  ref={editButton}
                  aria-keyshortcuts="Shift+E"
                  title={withKey(words('edit'), '⇧E')}
                  onClick={() => setMode('edit')}
                >
                  {words('edit')}
                  <Key name="⇧E" />
                </Button>
                <Button
                  aria-keyshortcuts="Shift+F"
                  title={withKey(words('flag'), '⇧F')}
                  onClick={() => setMode('flag')}
                >
                  {words('flag')}
                  <Key name="⇧F" />
                </Button>
              </>
            )}
            {onNext && (
              <Button variant="ghost" className="ms-auto" aria-keyshortcuts="N" onClick={onNext}>
                {t('next')}
                <Key name="N" />
                <ChevronRight className="size-4 rtl:rotate-180" aria-hidden />
              </Button>
            )}
          </div>
        )}
      </div>
      <div className="grid gap-3 border-t px-4 py-3">
        <Sources
          decision={{
            sources: draft.sources,
            vetoes: [],
            reply: draft.text,
            contextSnapshot: decision?.contextSnapshot ?? null,
          }}
        />
      </div>
      <Suspense>
        {mode === 'flag' && works && (
          <FlagDialog
            busy={false}
            onFlag={(reason, note) => onChoice({ do: 'flag', reason, ...(note && { note }) })}
            onClose={() => setMode('read')}
          />
        )}
      </Suspense>
    </article>
  )
}

const Key = ({ name }: { name: string }) =>
  shortcutsOn() && (
    <span aria-hidden className="max-sm:hidden">
      <Keys keys={[name]} />
    </span>
  )
