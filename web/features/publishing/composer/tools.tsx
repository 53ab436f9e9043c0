import { AtSign, ImagePlus, LayoutTemplate, Sparkles, Tags } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import type { AccountTagging } from '../../../../src/publishing/posts/compose/rules.ts'
import { writingTexts } from '../../../i18n.tsx'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Counter } from './counter.tsx'
import { captionIn, type Draft, hashtagsOf, type Tab, withHashtags } from './draft.ts'
import { EmojiButton } from '../../../ui/emoji.tsx'

// Loaded when the person reuses earlier texts.
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
  /** Inserts text at the caret. */
  insert: (piece: string) => void
  onAddPicture: () => void
  assists: boolean
  onAssist: () => void
  /** The template to start from; null where none applies. */
  template?: string | null | undefined
}

/** The writing tools, and the characters left. */
export function Tools({
  draft,
  tab,
  platforms,
  tagging,
  edit,
  insert,
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
  return (
    <>
      <div className="flex min-h-10 flex-wrap items-center gap-0.5 border-t px-2.5 py-1">
        <Button
          id="assist"
          variant="ghost"
          {...named(t('assist'), caption !== '')}
          aria-expanded={assists}
          onClick={onAssist}
        >
          <Sparkles className="size-4" aria-hidden />
          {caption === '' && t('assist')}
        </Button>
        <EmojiButton onPick={insert} />
        <Tool icon={AtSign} label={t('mention')} onClick={() => insert('@')} />
        <Tool icon={ImagePlus} label={t('addMedia')} onClick={onAddPicture} />
        <Tool icon={Tags} label={t('sets')} onClick={() => setTaking('set')} />
        {template !== null && (
          <Button variant="ghost" {...named(t('templates'), !begins)} onClick={() => setTaking('template')}>
            <LayoutTemplate className="size-4" aria-hidden />
            {begins && t('fromTemplate')}
          </Button>
        )}
        <div className="grow" />
        <Counter draft={draft} tab={tab} tagging={tagging} platforms={tab === 'all' ? platforms : [tab]} />
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
    </>
  )
}

function Tool({ icon: Icon, label, onClick }: { icon: typeof AtSign; label: string; onClick: () => void }) {
  return (
    <Button variant="ghost" size="icon" aria-label={label} title={label} onClick={onClick}>
      <Icon className="size-4" aria-hidden />
    </Button>
  )
}
