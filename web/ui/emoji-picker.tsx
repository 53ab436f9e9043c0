import { EmojiPicker } from 'frimousse'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'

/** Every emoji, by search, category or arrow keys. Their English names ship with the app. */
export function Picker({ onPick }: { onPick: (emoji: string) => void }) {
  const t = useTranslations('emoji')
  const search = useRef<HTMLInputElement>(null)
  // The person continues by typing or with the arrow keys.
  useEffect(() => search.current?.focus(), [])
  return (
    <EmojiPicker.Root
      emojibaseUrl={`${location.origin}/app/emoji`}
      columns={8}
      dir="ltr"
      onEmojiSelect={({ emoji }) => onPick(emoji)}
      className="flex h-80 w-[20.5rem] max-w-full flex-col gap-2"
    >
      {/* Detached from any form: Enter must not submit the surrounding one. */}
      <EmojiPicker.Search form="" ref={search} className="input" aria-label={t('search')} placeholder={t('search')} />
      <EmojiPicker.Viewport className="min-h-0 grow outline-none">
        <EmojiPicker.Loading className="grid h-full place-items-center text-13 text-muted">
          {t('loading')}
        </EmojiPicker.Loading>
        <EmojiPicker.Empty className="grid h-full place-items-center text-13 text-muted">{t('none')}</EmojiPicker.Empty>
        <EmojiPicker.List
          aria-label={t('title')}
          components={{
            CategoryHeader: ({ category, ...rest }) => (
              <div {...rest} className="bg-surface py-1 text-2xs font-medium text-muted">
                {category.label}
              </div>
            ),
            Emoji: ({ emoji, ...rest }) => (
              <button
                {...rest}
                type="button"
                className="grid size-9 place-items-center rounded-md text-lg data-[active]:bg-hover data-[active]:outline-2 data-[active]:-outline-offset-2 data-[active]:outline-accent-text"
              >
                {emoji.emoji}
              </button>
            ),
          }}
        />
      </EmojiPicker.Viewport>
    </EmojiPicker.Root>
  )
}
