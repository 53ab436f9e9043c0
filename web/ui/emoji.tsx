import { Smile } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'
import { lazy } from './part.tsx'
import { usePopup } from './popup.tsx'

const Picker = lazy(async () => ({ default: (await import('./emoji-picker.tsx')).Picker }))

export function EmojiButton({ onPick }: { onPick: (emoji: string) => void }) {
  const t = useTranslations('emoji')
  const { open, hide, triggerProps, popupProps } = usePopup()
  return (
    <>
      <Button variant="ghost" size="icon" aria-label={t('title')} title={t('title')} {...triggerProps}>
        <Smile className="size-4" aria-hidden />
      </Button>
      <div
        {...popupProps}
        role="group"
        aria-label={t('title')}
        className="pop-in fixed m-0 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-[10px] border bg-surface p-2 text-fg shadow-pop"
      >
        {open && (
          <Suspense fallback={<div className="h-80 w-[20.5rem] max-w-full" />}>
            <Picker
              onPick={(emoji) => {
                hide(false)
                onPick(emoji)
              }}
            />
          </Suspense>
        )}
      </div>
    </>
  )
}
