import { ArrowLeft, ChartNoAxesColumn, Play } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { letterOf } from '../../../../shortcuts.ts'
import { Button } from '../../../../ui/button.tsx'
import { keepClear } from '../../../../ui/keep-clear.ts'
import { MOD } from '../../../../ui/kbd.tsx'
import { useMe } from '../use-me.ts'
import { usePlace } from '../../../shell/workspace.tsx'
import { PauseButton } from './pause.tsx'
import type { EditedSettings } from './use-settings.ts'

/** The settings, a trial of them, or the reply statistics. */
export type BotView = 'settings' | 'try' | 'figures'

interface Props {
  settings: EditedSettings
  fixed: boolean
  view: BotView
  mayTry: boolean
  onView: (view: BotView) => void
}

/** The sticky bar: who last changed the bot, and the unsaved changes. */
export function Bar({ settings, fixed, view, mayTry, onView }: Props) {
  const t = useTranslations('bot')
  const format = useFormatter()
  const me = useMe()
  const { workspace } = usePlace()
  const { base, now, changed, save } = settings
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey || fixed) return
    if (letterOf(event).toLowerCase() !== 's') return
    event.preventDefault()
    save()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  const at = base.updatedAt
    ? format.dateTime(new Date(base.updatedAt), { day: 'numeric', month: 'short', timeZone: workspace.timezone })
    : ''
  const by = base.updatedBy
  return (
    <div className="sticky top-0 z-20 flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 border-b bg-surface px-4 py-2 max-md:static lg:px-6">
      <div className="flex min-w-0 grow basis-40 flex-wrap items-baseline gap-x-2">
        <h2 className="text-15 font-semibold">{t('title')}</h2>
        <p className="text-xs text-muted">
          {base.updatedAt === null
            ? t('never_')
            : by === null
              ? t('changedAt', { date: at })
              : by.id === me
                ? t('changedByYou', { date: at })
                : t('changedBy', { name: by.name, date: at })}
        </p>
      </div>
      {view === 'settings' ? (
        <>
          <Button variant="ghost" onClick={() => onView('figures')}>
            <ChartNoAxesColumn className="size-4" aria-hidden />
            {t('figures.title')}
          </Button>
          {mayTry && (
            <Button variant="ghost" onClick={() => onView('try')}>
              <Play className="size-4 rtl:rotate-180" aria-hidden />
              {t('try.title')}
            </Button>
          )}
        </>
      ) : (
        <Button variant="ghost" onClick={() => onView('settings')}>
          <ArrowLeft className="size-4 rtl:rotate-180" aria-hidden />
          {t('try.back')}
        </Button>
      )}
      {!fixed && base.isEnabled && !now.paused && changed === 0 && <PauseButton />}
      {!fixed && (
        <div className="flex items-center gap-2 max-md:hidden">
          <Acts settings={settings} />
        </div>
      )}
    </div>
  )
}

/** On a narrow screen, the same at the bottom while there are unsaved changes. */
export const PhoneBar = ({ settings }: { settings: EditedSettings }) =>
  settings.changed > 0 && (
    <div
      ref={keepClear}
      className="sticky bottom-[calc(3.25rem+env(safe-area-inset-bottom))] z-10 mt-auto flex items-center justify-end gap-2 border-t bg-surface px-4 py-2 md:hidden"
    >
      <Acts settings={settings} />
    </div>
  )

function Acts({ settings: { changed, discard, save, busy } }: { settings: EditedSettings }) {
  const t = useTranslations('bot')
  return (
    <>
      {changed > 0 && (
        <p role="status" className="inline-flex min-w-0 items-center gap-2 text-xs text-muted max-md:grow">
          <span className="size-2 shrink-0 rounded-full bg-warn" aria-hidden />
          {t('unsaved', { count: changed })}
        </p>
      )}
      {changed > 0 && <Button onClick={discard}>{t('discard')}</Button>}
      <Button
        variant="primary"
        busy={busy}
        reason={changed === 0 && t('nothingChanged')}
        aria-keyshortcuts="Meta+S Control+S"
        onClick={save}
      >
        {t('save')}
        <span aria-hidden dir="ltr" className="text-xs font-normal opacity-80 max-sm:hidden">
          {MOD} S
        </span>
      </Button>
    </>
  )
}
