import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { noContent } from '../../../../src/publishing/posts/compose/rules.ts'
import { Button } from '../../../ui/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { reportUsedOptions } from '../../assistant/used-options.ts'
import { bodyOf } from './draft.ts'
import { textOf } from './kept-text.tsx'
import { readMirror } from './mirror.ts'

interface Props {
  ws: string
  /** What the new post would start from. */
  instead: 'idea' | 'template'
  onContinue: () => void
  onBegin: () => void
}

/**
 * Shown when a new post should start from something while another is unsaved. That one stays until the person decides
 * what to do with it.
 */
export default function Unfinished({ ws, instead, onContinue, onBegin }: Props) {
  const t = useTranslations('composer')
  const problemText = useProblemText()
  const client = useQueryClient()
  const [draft] = useState(() => readMirror(ws, null)?.draft)
  // A retry after a lost response must not create a second post.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const saving = useMutation({
    mutationFn: () =>
      call('createPost', {
        workspace: ws,
        body: { ...bodyOf({ ...noContent, ...draft }), action: 'draft' },
        idempotencyKey,
      }),
    onSuccess: (post) => {
      reportUsedOptions(ws, post.id, true)
      void client.invalidateQueries({ queryKey: [ws, 'posts'] })
      toast.success(t('draftSaved'))
      onBegin()
    },
    onError: (error) => toast.error(problemText(error)),
  })
  const text = textOf(draft)
  const files = draft?.media.length ?? 0
  return (
    <Page title={t('newPost')}>
      <section
        className="card mx-auto my-5 grid w-[calc(100%-2rem)] max-w-xl grid-cols-[minmax(0,1fr)] gap-3 p-5"
        aria-labelledby="unfinished"
      >
        <div className="grid gap-1" role="status">
          <h2 id="unfinished" className="text-sm font-semibold">
            {t('unfinished.title')}
          </h2>
          <p className="text-13 text-muted">{t('unfinished.body')}</p>
        </div>
        {text && (
          <textarea readOnly dir="auto" rows={5} aria-label={t('text')} value={text} className="input resize-y py-2" />
        )}
        {files > 0 && <p className="text-13">{t('unfinished.files', { count: files })}</p>}
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" onClick={onContinue}>
            {t('unfinished.continue')}
          </Button>
          <Button onClick={() => saving.mutate()} busy={saving.isPending}>
            {t(`unfinished.saveFirst.${instead}`)}
          </Button>
          <Button onClick={onBegin}>{t(`unfinished.${instead}`)}</Button>
        </div>
      </section>
    </Page>
  )
}
