import { type RefObject, Suspense, useLayoutEffect } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import type { AccountTagging } from '../../../../src/publishing/posts/compose/rules.ts'
import { NETWORKS } from '../../../labels.ts'
import { lazy } from '../../../ui/part.tsx'
import { useSuggest } from '../../../ui/suggest.tsx'
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
import { type Offered, useTags } from './use-tags.ts'

// These load after the text.
const CallToAction = lazy(async () => ({ default: (await import('./call-to-action.tsx')).CallToAction }))
const HashtagField = lazy(async () => ({ default: (await import('./hashtag-field.tsx')).HashtagField }))
const Tools = lazy(async () => ({ default: (await import('./tools.tsx')).Tools }))

interface Props {
  draft: Draft
  tab: Tab
  platforms: Platform[]
  accounts: SocialAccount[]
  tagging: AccountTagging
  edit: (change: (draft: Draft) => Draft) => void
  text: RefObject<HTMLTextAreaElement | null>
  onAddPicture: () => void
  /** Whether the assistant is open. */
  assists: boolean
  onAssist: () => void
  /** The template to start from; null where the text belongs to one network. */
  template?: string | null | undefined
}

/** The text of one tab with its call to action and hashtags. Editing in a network's tab changes that network only. */
export function Editor({
  draft,
  tab,
  platforms,
  accounts,
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
  useLayoutEffect(() => {
    const area = text.current
    if (!area) return
    area.style.height = 'auto'
    area.style.height = `${area.scrollHeight}px`
  }, [caption, tab, text])
  const replace = (piece: string, from: number, to: number) =>
    edit((current) => {
      const now = captionIn(current, tab)
      return withText(current, tab, 'caption', now.slice(0, from) + piece + now.slice(to))
    })
  const offers = useTags(accounts, /[#@]/.test(caption))
  const { look, keys, fieldProps, list } = useSuggest<Offered>({
    field: text,
    signs: '#@',
    label: t('offered'),
    find: offers,
    textOf: (one) => one.text,
    show: (one) => (
      <>
        <bdi className="clip">{one.text}</bdi>
        {one.from && <bdi className="ms-auto clip text-xs text-muted">{one.from}</bdi>}
      </>
    ),
    replace,
  })
  const insert = (piece: string) => {
    const area = text.current
    if (!area) return
    area.focus()
    const { selectionStart: from, selectionEnd: to } = area
    replace(piece, from, to)
    requestAnimationFrame(() => {
      area.setSelectionRange(from + piece.length, from + piece.length)
      look(area.value, from + piece.length)
    })
  }
  return (
    <div>
      {tab !== 'all' && (
        <OverrideNote
          customised={isCustomised(draft, tab)}
          network={NETWORKS[tab].short}
          onReset={() => {
            edit((current) => withoutOverrides(current, tab))
            text.current?.focus()
          }}
        />
      )}
      <div className="relative">
        <textarea
          ref={text}
          id="field-caption"
          dir="auto"
          rows={4}
          aria-label={tab === 'all' ? t('text') : t('textFor', { network: NETWORKS[tab].name })}
          placeholder={t('textPlaceholder')}
          value={caption}
          {...fieldProps}
          onKeyDown={keys}
          onChange={(event) => {
            const { value, selectionStart } = event.target
            edit((current) => withText(current, tab, 'caption', value))
            look(value, selectionStart)
          }}
          className="block min-h-28 w-full resize-none overflow-hidden bg-transparent px-4 pt-3 pb-1 text-[0.9375rem] leading-6 outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--accent-text)] max-sm:text-base max-sm:leading-7"
        />
        {list}
      </div>
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1.5 px-4 pt-1 pb-2.5">
        <Suspense fallback={<div className="h-6 w-20 max-sm:h-11" aria-hidden />}>
          <HashtagField
            key={tab}
            value={hashtagsOf(draft, tab)}
            onChange={(tags) => edit((current) => withHashtags(current, tab, tags))}
          />
          <CallToAction
            key={`${tab} cta`}
            value={ctaIn(draft, tab)}
            onChange={(value) => edit((current) => withText(current, tab, 'cta', value))}
          />
        </Suspense>
      </div>
      <Suspense fallback={<div className="h-10 border-t" aria-hidden />}>
        <Tools
          draft={draft}
          tab={tab}
          platforms={platforms}
          tagging={tagging}
          edit={edit}
          insert={insert}
          onAddPicture={onAddPicture}
          assists={assists}
          onAssist={onAssist}
          template={template}
        />
      </Suspense>
    </div>
  )
}

interface NoteProps {
  customised: boolean
  network: string
  onReset: () => void
}

/** Says whether a network has its own text, with a button to return to the shared one. */
function OverrideNote({ customised, network, onReset }: NoteProps) {
  const t = useTranslations('composer')
  return (
    <div className="flex min-h-8 items-center gap-x-2 border-b bg-bg px-4 text-xs text-muted">
      {customised && <span className="size-1.5 shrink-0 rounded-full bg-accent" aria-hidden />}
      <span className="grow py-1.5">{t(customised ? 'isCustomised' : 'typeToCustomise', { network })}</span>
      {customised && (
        <button
          type="button"
          onClick={onReset}
          className="min-h-6 shrink-0 font-medium text-accent-text hover:underline max-sm:min-h-11"
        >
          {t('reset')}
        </button>
      )}
    </div>
  )
}
