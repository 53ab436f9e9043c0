import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { BotConfig } from '../../../../../src/conversations/bot/config/api.ts'
import { triedOf } from './tried.ts'
import { TryMany } from './many.tsx'
import { TryOne } from './one.tsx'

interface Props {
  /** The settings including unsaved changes, and the saved ones. */
  now: BotConfig
  saved: BotConfig
}

/** Tries the bot without sending anything, including unsaved settings. */
export default function TryIt({ now, saved }: Props) {
  const t = useTranslations('bot.try')
  const [many, setMany] = useState(false)
  const config = triedOf(now, saved)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <div role="group" aria-label={t('what')} className="segments">
          {([false, true] as const).map((one) => (
            <button
              key={String(one)}
              type="button"
              className="segment max-sm:min-h-11"
              aria-pressed={many === one}
              onClick={() => setMany(one)}
            >
              {t(one ? 'tabs.many' : 'tabs.one')}
            </button>
          ))}
        </div>
        <p className="min-w-0 text-xs text-muted">{t(config ? 'unsaved' : 'lead')}</p>
      </div>
      {many ? <TryMany config={config} /> : <TryOne config={config} />}
    </div>
  )
}
