import { useQuery } from '@tanstack/react-query'
import { MessageSquareText, SearchX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SavedReply } from '../../../../src/conversations/replies/api.ts'
import { Button } from '../../../ui/button.tsx'
import { RowActs, Rows } from '../../../ui/row.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { SettingsList } from '../../team/settings/settings-list.tsx'
import { found } from './find.ts'
import { savedRepliesQuery } from './queries.ts'
import { SavedReplyDialog, useSample } from './reply-dialog.tsx'
import { useRemove } from './use-remove.ts'

/** The team's saved replies, by name. */
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
  return (
    <SettingsList
      query={query}
      none={{ icon: MessageSquareText, title: t('noneYet'), body: t('noneBody') }}
      lead={t('lead')}
      add={{ name: t('new'), may, onAdd: () => setChanging('new') }}
      search={<SearchField label={t('search')} value={sought} onChange={setSought} />}
      dialogs={
        changing && <SavedReplyDialog reply={changing === 'new' ? null : changing} onClose={() => setChanging(null)} />
      }
    >
      {(replies) => (
        <>
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
      )}
    </SettingsList>
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
