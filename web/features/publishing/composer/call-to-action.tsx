import { Plus } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'

/** The call to action on its own line; only a button until the person adds one. */
export function CallToAction({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useTranslations('composer')
  const [wanted, setWanted] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (wanted) field.current?.focus()
  }, [wanted])
  const shown = wanted || value !== ''
  if (!shown)
    return (
      <button
        type="button"
        onClick={() => setWanted(true)}
        className="flex h-6 items-center rounded-md px-1 text-xs font-medium text-muted hover:bg-hover max-sm:h-11"
      >
        <Plus className="me-1 size-3" aria-hidden />
        {t('cta')}
      </button>
    )
  return (
    <input
      ref={field}
      id="field-cta"
      className="input order-first min-h-8 basis-full py-1 text-13 max-sm:min-h-11"
      dir="auto"
      maxLength={1000}
      aria-label={t('cta')}
      placeholder={t('ctaPlaceholder')}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onFocus={() => setWanted(true)}
      onBlur={() => setWanted(false)}
    />
  )
}
