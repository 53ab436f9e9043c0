import { Smile } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { Button } from '../../ui/button.tsx'
import { usePopup } from '../../ui/popup.tsx'

const EMOJI = Array.from('😀😂😊😍🥳🤩🤔👀👍👏🙏💪❤🔥✨🎉🎁🚀📣📷☕🍂🌿🌞🌍⭐✅⚡💡📅📍🎯')

export function EmojiButton({ onPick }: { onPick: (emoji: string) => void }) {
  const t = useTranslations('composer')
  const { open, hide, triggerProps, popupProps } = usePopup()
  return (
    <>
      <Button variant="ghost" size="icon" aria-label={t('emoji')} title={t('emoji')} {...triggerProps}>
        <Smile className="size-4" aria-hidden />
      </Button>
      <div
        {...popupProps}
        role="group"
        aria-label={t('emoji')}
        className="pop-in fixed m-0 overflow-y-auto rounded-[10px] border bg-surface p-2 text-fg shadow-pop"
      >
        {open && (
          <div className="grid grid-cols-6 gap-0.5 sm:grid-cols-8">
            {EMOJI.map((emoji) => (
              <button
                key={emoji}
                type="button"
                className="grid size-9 place-items-center rounded-md text-lg hover:bg-hover max-sm:size-11"
                onClick={() => {
                  hide(false)
                  onPick(emoji)
                }}
              >
                {emoji}
              </button>
            ))}
          </div>
        )}
      </div>
    </>
  )
}
