import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../client.ts'
import { toast } from '../../../toast.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { setsQuery } from './queries.ts'
import { SaveForm } from './save-form.tsx'

interface Props {
  /** The hashtags of the open tab. */
  hashtags: string[]
  onInsert: (hashtags: string[]) => void
  onClose: () => void
}

const bare = (tag: string) => tag.replace(/^#/, '').toLowerCase()

/** Inserts a hashtag set without duplicates, or saves the current hashtags as one. */
export default function SetsDialog({ hashtags, onInsert, onClose }: Props) {
  const t = useTranslations('writing')
  const { ws } = usePlace()
  const sets = useQuery(setsQuery(ws))
  const insert = (more: string[]) => {
    const there = new Set(hashtags.map(bare))
    const added = more.filter((tag) => !there.has(bare(tag)))
    onInsert([...hashtags, ...added].slice(0, 200))
    toast.success(t('inserted', { count: added.length }))
    onClose()
  }
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('sets')} description={t('setsLead')}>
      <Loaded query={sets} skeleton={<div className="skeleton h-16" aria-hidden />}>
        {(all) =>
          all.length === 0 ? (
            <p className="py-3 text-13 text-muted">{t('noSets')}</p>
          ) : (
            <ul className="grid grid-cols-[minmax(0,1fr)] divide-y">
              {all.map((set) => (
                <li key={set.id}>
                  <button
                    type="button"
                    className="grid w-full min-h-11 gap-1 px-2 py-2 text-start text-13 hover:bg-hover"
                    onClick={() => insert(set.hashtags)}
                  >
                    <bdi className="font-medium break-words">{set.name}</bdi>
                    <bdi className="text-xs break-words text-muted">{set.hashtags.join(' ')}</bdi>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <SaveForm
        label={t('saveSet')}
        reason={hashtags.length === 0 ? t('noHashtags') : null}
        save={(name) => call('createHashtagSet', { workspace: ws, body: { name, hashtags: hashtags.slice(0, 100) } })}
      />
    </Dialog>
  )
}
