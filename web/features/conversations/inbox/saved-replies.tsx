import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MessageSquareText, Pencil, Plus, Settings2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { OpenThread } from '../../../../src/conversations/threads/api.ts'
import type { SavedReply } from '../../../../src/conversations/replies/api.ts'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import { usePopup } from '../../../ui/popup.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { found } from '../replies/find.ts'
import { savedRepliesQuery } from '../replies/queries.ts'

const SavedReplyDialog = lazy(async () => ({
  default: (await import('../replies/reply-dialog.tsx')).SavedReplyDialog,
}))

/** The text of a saved reply, filled in for the thread if requested for one. */
export const filledText = ({ text, filled }: Pick<SavedReply, 'text' | 'filled'>) => filled ?? text

/** With more replies than this, the menu has a search field. */
const MANY = 8

interface Props {
  thread: OpenThread
  /** The text in the field, which prefills a new saved reply. */
  text: string
  refused: string | null
  onPick: (reply: SavedReply) => void
}

/** The team's saved replies: insert, add and edit. */
export function SavedReplies({ thread, text, refused, onPick }: Props) {
  const t = useTranslations('inbox.saved')
  const { ws } = usePlace()
  const may = useMay('createSavedReply')
  const { open, hide, triggerProps, popupProps } = usePopup({ side: 'top' })
  const query = useQuery({ ...savedRepliesQuery(ws, thread.id), enabled: open })
  const replies = query.data ?? []
  const [sought, setSought] = useState('')
  const [changing, setChanging] = useState<SavedReply | 'new' | null>(null)
  const shown = found(replies, replies.length > MANY ? sought : '')
  const pick = (reply: SavedReply) => {
    hide(false)
    setSought('')
    onPick(reply)
  }
  const row = 'flex min-h-9 w-full min-w-0 items-center gap-2 rounded-md px-2 text-start hover:bg-hover max-sm:min-h-11'
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        reason={refused}
        aria-label={t('title')}
        title={t('title')}
        {...triggerProps}
        aria-haspopup="dialog"
      >
        <MessageSquareText className="size-4" aria-hidden />
      </Button>
      <div
        {...popupProps}
        role="dialog"
        aria-label={t('title')}
        className="pop-in fixed m-0 w-80 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border bg-surface p-1 text-fg shadow-pop"
      >
        {open && (
          <>
            <Loaded query={query} skeleton={<div className="skeleton m-1 h-9" aria-hidden />}>
              {() => (
                <>
                  {replies.length === 0 && <p className="px-2 py-2 text-xs text-muted">{t('none')}</p>}
                  {replies.length > MANY && (
                    <input
                      type="search"
                      dir="auto"
                      maxLength={80}
                      aria-label={t('search')}
                      placeholder={t('search')}
                      className="input mb-1"
                      value={sought}
                      onChange={(event) => setSought(event.target.value)}
                      onKeyDown={(event) => {
                        if (event.key !== 'Enter') return
                        event.preventDefault()
                        if (shown[0]) pick(shown[0])
                      }}
                    />
                  )}
                  {replies.length > 0 && shown.length === 0 && (
                    <p className="px-2 py-2 text-xs text-muted">{t('noMatch')}</p>
                  )}
                  <ul className="grid max-h-72 grid-cols-[minmax(0,1fr)] overflow-y-auto">
                    {shown.map((one) => (
                      <li key={one.id} className="flex items-center">
                        <button type="button" className={row} aria-label={one.name} onClick={() => pick(one)}>
                          <span className="grid min-w-0 grow">
                            <bdi className="clip font-medium">{one.name}</bdi>
                            <bdi className="clip text-xs text-muted">{filledText(one)}</bdi>
                          </span>
                        </button>
                        {!may.hidden && (
                          <Button
                            variant="ghost"
                            size="icon"
                            aria-label={t('change', { name: one.name })}
                            onClick={() => {
                              hide(false)
                              setChanging(one)
                            }}
                          >
                            <Pencil className="size-3.5" aria-hidden />
                          </Button>
                        )}
                      </li>
                    ))}
                  </ul>
                </>
              )}
            </Loaded>
            {!may.hidden && (
              <button
                type="button"
                className={`${row} border-t`}
                onClick={() => {
                  hide(false)
                  setChanging('new')
                }}
              >
                <Plus className="size-4 text-muted" aria-hidden />
                {t('new')}
              </button>
            )}
            <Link to="/w/$ws/settings/replies" params={{ ws }} className={row}>
              <Settings2 className="size-4 text-muted" aria-hidden />
              {t('manage')}
            </Link>
          </>
        )}
      </div>
      {changing && (
        <Suspense>
          <SavedReplyDialog
            reply={changing === 'new' ? null : changing}
            text={text}
            onClose={() => setChanging(null)}
          />
        </Suspense>
      )}
    </>
  )
}
