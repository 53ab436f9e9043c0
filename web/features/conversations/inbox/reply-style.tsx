import { Pencil } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Thread } from '../../../../src/conversations/threads/api.ts'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import { useMay } from '../../shell/workspace.tsx'
import { useThreadActs } from './use-acts.ts'

const StyleDialog = lazy(() => import('./style-dialog.tsx'))

/** How the bot writes in a thread, with a button to change it. */
export function ReplyStyle({ thread }: { thread: Thread }) {
  const t = useTranslations('inbox.style')
  const may = useMay('updateConversation')
  const acts = useThreadActs(thread)
  const [changes, setChanges] = useState(false)
  const { replyStyle } = thread
  return (
    <>
      <bdi className="min-w-0 break-words">{replyStyle ?? t('usual')}</bdi>
      {!may.hidden && (
        <Button
          variant="ghost"
          size="icon"
          reason={may.reason}
          aria-label={t('change')}
          title={t('change')}
          className="sm:size-6! pointer-coarse:size-11!"
          onClick={() => setChanges(true)}
        >
          <Pencil className="size-3.5" aria-hidden />
        </Button>
      )}
      <Suspense>
        {changes && <StyleDialog style={replyStyle} onSave={acts.setStyle} onClose={() => setChanges(false)} />}
      </Suspense>
    </>
  )
}
