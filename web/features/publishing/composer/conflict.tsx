import { GitCompareArrows } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { type Draft, draftOf, sameDraft } from './draft.ts'
import { textOf } from './kept-text.tsx'

interface Props {
  mine: Draft
  theirs: Post
  onKeepMine: () => void
  onTakeTheirs: () => void
}

/** Another person changed the post. Nothing is overwritten until a person decides. */
export function Conflict({ mine, theirs, onKeepMine, onTakeTheirs }: Props) {
  const t = useTranslations('conflict')
  const format = useFormatter()
  const { workspace } = usePlace()
  const [comparing, setComparing] = useState(false)
  const stored = draftOf(theirs)
  const choices = (
    <>
      <Button onClick={onTakeTheirs}>{t('takeTheirs')}</Button>
      <Button variant="primary" onClick={onKeepMine}>
        {t('keepMine')}
      </Button>
    </>
  )
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b bg-warn-soft px-4 py-2.5 lg:px-6">
      <p className="min-w-0 grow text-13">
        <strong className="font-semibold text-warn">
          {t('title', {
            time: format.dateTime(new Date(theirs.updatedAt), { timeStyle: 'short', timeZone: workspace.timezone }),
          })}
        </strong>{' '}
        {t('body')}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button variant="ghost" onClick={() => setComparing(true)}>
          <GitCompareArrows className="size-4" aria-hidden />
          {t('compare')}
        </Button>
        {choices}
      </div>
      <Dialog wide open={comparing} onOpenChange={setComparing} title={t('compare')} footer={choices}>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
          <Side title={t('mine')} draft={mine} />
          <Side title={t('theirs')} draft={stored} />
        </div>
        {textOf(mine) === textOf(stored) && !sameDraft(mine, stored) && (
          <p className="text-13 text-muted">{t('otherSettings')}</p>
        )}
      </Dialog>
    </div>
  )
}

function Side({ title, draft }: { title: string; draft: Draft }) {
  const t = useTranslations('conflict')
  return (
    <section className="card grid content-start gap-2 p-3">
      <h3 className="text-xs font-medium text-muted">{title}</h3>
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {textOf(draft) || t('noText')}
      </p>
      <p className="text-xs text-muted">{t('files', { count: draft.media.length })}</p>
    </section>
  )
}
