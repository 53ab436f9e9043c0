import { Copy } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { PLATFORM_ORDER } from '../../../labels.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { captionIn, ctaIn, type Draft, hashtagsOf, isCustomised, type Tab } from './draft.ts'
import { clearMirror, readMirror } from './mirror.ts'

interface Props {
  ws: string
  id: string | null
  /** The content of the post once its publishing has started. */
  published?: Draft
}

/** Offers the unsaved text when the person or the post can no longer be edited here. This browser still has it. */
export default function KeptText({ ws, id, published }: Props) {
  const t = useTranslations('composer.kept')
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(() => textOf(readMirror(ws, id)?.draft))
  if (!text || text === textOf(published)) return null
  const discard = () => {
    clearMirror(ws, id)
    setText('')
  }
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => toast.success(t('copied')),
      () => field.current?.select(), // the browser denies clipboard access; select it for manual copying
    )
  return (
    <section className="card mx-auto my-5 grid w-[calc(100%-2rem)] max-w-xl gap-3 p-5">
      <div className="grid gap-1" role="status">
        <p className="text-sm font-semibold">{t('title')}</p>
        <p className="text-13 text-muted">{t(published ? 'bodyPublishing' : 'body')}</p>
      </div>
      <textarea
        ref={field}
        readOnly
        dir="auto"
        rows={5}
        aria-label={t('title')}
        value={text}
        className="input resize-y py-2"
      />
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => void copy()}>
          <Copy className="size-4" aria-hidden />
          {t('copy')}
        </Button>
        {published && (
          <Button variant="ghost" onClick={discard}>
            {t('discard')}
          </Button>
        )}
      </div>
    </section>
  )
}

/** All typed text: the shared one, then the overrides of each network. */
export function textOf(draft: Draft | undefined): string {
  if (!draft) return ''
  const tabs: Tab[] = ['all', ...PLATFORM_ORDER.filter((platform) => isCustomised(draft, platform))]
  const texts = tabs.map((tab) =>
    [captionIn(draft, tab), ctaIn(draft, tab), hashtagsOf(draft, tab).join(' ')].filter(Boolean).join('\n\n'),
  )
  return texts.filter((one, index) => one && texts.indexOf(one) === index).join('\n\n—\n\n')
}
