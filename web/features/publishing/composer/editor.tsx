import { Hash, ImagePlus, LayoutTemplate, RotateCcw, Sparkles, Tags } from 'lucide-react'
import { lazy, type RefObject, Suspense, useLayoutEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import type { AccountTagging } from '../../../../src/publishing/posts/compose/rules.ts'
import { writingTexts } from '../../../i18n.tsx'
import { NETWORKS } from '../../../labels.ts'
import { Button } from '../../../ui/button.tsx'
import { Counter } from './counter.tsx'
import {
  captionIn,
  ctaIn,
  type Draft,
  hashtagsOf,
  isCustomised,
  type Tab,
  withHashtags,
  withoutOverrides,
  withText,
} from './draft.ts'
import { EmojiButton } from './emoji.tsx'
import { HashtagField } from './hashtag-field.tsx'

// Needed by who takes what was written before.
const TemplatesDialog = lazy(async () => {
  await writingTexts()
  return import('../writing/templates-dialog.tsx')
})
const SetsDialog = lazy(async () => {
  await writingTexts()
  return import('../writing/sets-dialog.tsx')
})

interface Props {
  draft: Draft
  tab: Tab
  platforms: Platform[]
  tagging: AccountTagging
  edit: (change: (draft: Draft) => Draft) => void
  text: RefObject<HTMLTextAreaElement | null>
  onAddPicture: () => void
  /** Whether the assistant is open. */
  assists: boolean
  onAssist: () => void
  /** The template to begin with; null where the text is that of a network alone. */
  template?: string | null | undefined
}

/** The text of one tab with its call to action and hashtags. Typing in a network's tab changes that network only. */
export function Editor({
  draft,
  tab,
  platforms,
  tagging,
  edit,
  text,
  onAddPicture,
  assists,
  onAssist,
  template,
}: Props) {
  const t = useTranslations('composer')
  const caption = captionIn(draft, tab)
  const [taking, setTaking] = useState<'template' | 'set' | null>(template ? 'template' : null)
  const [first, setFirst] = useState(template ?? undefined)
  const stop = () => {
    setTaking(null)
    setFirst(undefined)
  }
  const begins = tab === 'all' && caption === ''
  const named = (label: string, small: boolean) =>
    small ? ({ size: 'icon', 'aria-label': label, title: label } as const) : ({ size: 'sm' } as const)
  useLayoutEffect(() => {
    const area = text.current
    if (!area) return
    area.style.height = 'auto'
    area.style.height = `${area.scrollHeight}px`
  }, [caption, tab, text])
  const insert = (piece: string) => {
    const area = text.current
    if (!area) return
    area.focus()
    const { selectionStart: from, selectionEnd: to } = area
    edit((current) => {
      const now = captionIn(current, tab)
      return withText(current, tab, 'caption', now.slice(0, from) + piece + now.slice(to))
    })
    requestAnimationFrame(() => area.setSelectionRange(from + piece.length, from + piece.length))
  }
  return (
    <div>
      {tab !== 'all' && (
        <div className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b bg-sunken px-3.5 py-1 text-xs text-muted">
          <span className="grow">
            {isCustomised(draft, tab)
              ? t('isCustomised', { network: NETWORKS[tab].name })
              : t('typeToCustomise', { network: NETWORKS[tab].name })}
          </span>
          {isCustomised(draft, tab) && (
            <Button
              size="sm"
              variant="ghost"
              onClick={() => {
                edit((current) => withoutOverrides(current, tab))
                text.current?.focus()
              }}
            >
              <RotateCcw className="size-3.5" aria-hidden />
              {t('reset')}
            </Button>
          )}
        </div>
      )}
      <textarea
        ref={text}
        id="field-caption"
        dir="auto"
        rows={5}
        aria-label={tab === 'all' ? t('text') : t('textFor', { network: NETWORKS[tab].name })}
        placeholder={t('textPlaceholder')}
        value={caption}
        onChange={(event) => {
          const { value } = event.target
          edit((current) => withText(current, tab, 'caption', value))
        }}
        className="block min-h-36 w-full resize-none overflow-hidden bg-transparent px-3.5 py-3 text-base leading-relaxed outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--accent-text)]"
      />
      <div className="flex flex-wrap items-center gap-1 px-2 pb-2">
        <Button
          id="assist"
          variant="ghost"
          {...named(t('assist'), caption !== '')}
          aria-expanded={assists}
          onClick={onAssist}
        >
          <Sparkles className="size-4 text-accent-text" aria-hidden />
          {caption === '' && t('assist')}
        </Button>
        <EmojiButton onPick={insert} />
        <Button
          variant="ghost"
          size="icon"
          aria-label={t('insertHashtag')}
          title={t('insertHashtag')}
          onClick={() => insert('#')}
        >
          <Hash className="size-4" aria-hidden />
        </Button>
        <Button variant="ghost" size="icon" aria-label={t('addMedia')} title={t('addMedia')} onClick={onAddPicture}>
          <ImagePlus className="size-4" aria-hidden />
        </Button>
        <Button variant="ghost" size="icon" aria-label={t('sets')} title={t('sets')} onClick={() => setTaking('set')}>
          <Tags className="size-4" aria-hidden />
        </Button>
        {template !== null && (
          <Button variant="ghost" {...named(t('templates'), !begins)} onClick={() => setTaking('template')}>
            <LayoutTemplate className="size-4" aria-hidden />
            {begins && t('fromTemplate')}
          </Button>
        )}
        <div className="grow" />
        <Counter draft={draft} tagging={tagging} platforms={tab === 'all' ? platforms : [tab]} />
      </div>
      {taking === 'template' && (
        <Suspense>
          <TemplatesDialog draft={draft} edit={edit} first={first} onClose={stop} />
        </Suspense>
      )}
      {taking === 'set' && (
        <Suspense>
          <SetsDialog
            hashtags={hashtagsOf(draft, tab)}
            onInsert={(tags) => edit((current) => withHashtags(current, tab, tags))}
            onClose={stop}
          />
        </Suspense>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 border-t px-3.5 py-3 sm:grid-cols-2">
        <label className="grid content-start gap-1">
          <span className="text-xs font-medium text-muted">{t('hashtags')}</span>
          <HashtagField
            key={tab}
            value={hashtagsOf(draft, tab)}
            onChange={(tags) => edit((current) => withHashtags(current, tab, tags))}
          />
        </label>
        <label className="grid content-start gap-1">
          <span className="text-xs font-medium text-muted">{t('cta')}</span>
          <input
            id="field-cta"
            className="input"
            dir="auto"
            maxLength={1000}
            placeholder={t('ctaPlaceholder')}
            value={ctaIn(draft, tab)}
            onChange={(event) => {
              const { value } = event.target
              edit((current) => withText(current, tab, 'cta', value))
            }}
          />
        </label>
      </div>
    </div>
  )
}
