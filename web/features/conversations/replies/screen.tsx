import { useQuery } from '@tanstack/react-query'
import { MessageSquareText, Plus, SearchX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SavedReply } from '../../../../src/conversations/replies/api.ts'
import { Button } from '../../../ui/button.tsx'
import { RowActs, Rows } from '../../../ui/row.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { found } from './find.ts'
import { savedRepliesQuery } from './queries.ts'
import { SavedReplyDialog, useSample } from './reply-dialog.tsx'
import { useRemove } from './use-remove.ts'

/** The replies that the team has saved, by name. */
export function SavedRepliesScreen() {
  const { membership } = usePlace()
  const refused = refusal(membership, 'listSavedReplies')
  return refused ? <Refused refused={refused} /> : <Replies />
}

function Replies() {
  const t = useTranslations('inbox.saved')
  const { ws } = usePlace()
  const may = useMay('createSavedReply')
  const query = useQuery(savedRepliesQuery(ws))
  const sample = useSample()
  const remove = useRemove()
  const [sought, setSought] = useState('')
  const [changing, setChanging] = useState<SavedReply | 'new' | null>(null)
  const add = !may.hidden && (
    <Button variant="primary" reason={may.reason} onClick={() => setChanging('new')}>
      <Plus className="size-4" aria-hidden />
      {t('new')}
    </Button>
  )
  return (
    <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] content-start gap-4 px-4 py-6 lg:px-6">
      <Loaded query={query} skeleton={<div className="skeleton h-40" aria-hidden />}>
        {(replies) =>
          replies.length === 0 ? (
            <Empty icon={MessageSquareText} title={t('noneYet')} actions={add}>
              {t('noneBody')}
            </Empty>
          ) : (
            <>
              <p className="text-13 text-muted">{t('lead')}</p>
              <div className="flex flex-wrap items-center justify-between gap-3">
                <SearchField label={t('search')} value={sought} onChange={setSought} />
                {add}
              </div>
              <List replies={found(replies, sought)} onClear={() => setSought('')}>
                {(reply) => (
                  <li key={reply.id} className="flex min-h-(--row) items-center gap-2 py-2 ps-4 pe-2">
                    <div className="min-w-0 grow text-13">
                      <p className="break-words font-medium">
                        <bdi>{reply.name}</bdi>
                      </p>
                      <p dir="auto" className="line-clamp-2 text-xs break-words text-muted">
                        {sample(reply.text)}
                      </p>
                    </div>
                    {!may.hidden && (
                      <RowActs
                        edit={t('change', { name: reply.name })}
                        onEdit={() => setChanging(reply)}
                        remove={t('deleteThis', { name: reply.name })}
                        onRemove={() => !remove.isPending && remove.mutate(reply)}
                      />
                    )}
                  </li>
                )}
              </List>
              {may.hidden && <p className="text-xs text-muted">{t('readOnly')}</p>}
            </>
          )
        }
      </Loaded>
      {changing && <SavedReplyDialog reply={changing === 'new' ? null : changing} onClose={() => setChanging(null)} />}
    </div>
  )
}

interface ListProps {
  replies: SavedReply[]
  onClear: () => void
  children: (reply: SavedReply) => ReactNode
}

function List({ replies, onClear, children }: ListProps) {
  const t = useTranslations('inbox')
  if (replies.length === 0)
    return (
      <Empty
        icon={SearchX}
        title={t('saved.noMatch')}
        role="status"
        actions={<Button onClick={onClear}>{t('saved.clear')}</Button>}
      />
    )
  return <Rows aria-label={t('saved.title')}>{replies.map(children)}</Rows>
}
