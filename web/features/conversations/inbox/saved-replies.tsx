import { useQuery } from '@tanstack/react-query'
import { MessageSquareText, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { OpenThread } from '../../../../src/conversations/api.ts'
import type { SavedReply } from '../../../../src/conversations/replies/api.ts'
import { Button } from '../../../ui/button.tsx'
import { usePopup } from '../../../ui/popup.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { savedRepliesQuery } from './queries.ts'
import { SavedReplyDialog } from './saved-reply-dialog.tsx'

/** The text of a saved reply for the thread that it was asked for. */
export const filledText = ({ text, filled }: Pick<SavedReply, 'text' | 'filled'>) => filled ?? text

interface Props {
  thread: OpenThread
  /** The present text, with which a new reply begins. */
  text: string
  refused: string | null
  onPick: (reply: SavedReply) => void
}

/** The replies that the team has saved: to use, to add and to change. */
export function SavedReplies({ thread, text, refused, onPick }: Props) {
  const t = useTranslations('inbox.saved')
  const { ws } = usePlace()
  const may = useMay('createSavedReply')
  const { open, hide, triggerProps, popupProps } = usePopup({ side: 'top' })
  const { data: replies = [] } = useQuery({ ...savedRepliesQuery(ws, thread.id), enabled: open })
  const [changing, setChanging] = useState<SavedReply | 'new' | null>(null)
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
            {replies.length === 0 && <p className="px-2 py-2 text-xs text-muted">{t('none')}</p>}
            <ul className="grid grid-cols-[minmax(0,1fr)]">
              {replies.map((one) => (
                <li key={one.id} className="flex items-center">
                  <button
                    type="button"
                    className={row}
                    aria-label={one.name}
                    onClick={() => {
                      hide(false)
                      onPick(one)
                    }}
                  >
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
          </>
        )}
      </div>
      {changing && (
        <SavedReplyDialog reply={changing === 'new' ? null : changing} text={text} onClose={() => setChanging(null)} />
      )}
    </>
  )
}
