import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { textOf } from './kept-text.tsx'
import { readMirror } from './mirror.ts'

interface Props {
  ws: string
  /** What the new post is to begin with. */
  instead: 'idea' | 'template'
  onContinue: () => void
  onBegin: () => void
}

/** A post is to begin with something while another one is not saved: that one stays until somebody says what is to become of it. */
export default function Unfinished({ ws, instead, onContinue, onBegin }: Props) {
  const t = useTranslations('composer')
  const [draft] = useState(() => readMirror(ws, null)?.draft)
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
          <Button onClick={onBegin}>{t(`unfinished.${instead}`)}</Button>
        </div>
      </section>
    </Page>
  )
}
