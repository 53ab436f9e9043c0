import { useFormatter, useTranslations } from 'use-intl'
import { Button } from '../../../../ui/button.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import type { EditedSettings } from './use-settings.ts'

/** Another person changed the same settings. Asks which version to keep. */
export function Theirs({ settings }: { settings: EditedSettings }) {
  const t = useTranslations('bot.theirs')
  const format = useFormatter()
  const { workspace } = usePlace()
  const { theirs, discard, keepMine, busy } = settings
  if (!theirs) return null
  const time = format.dateTime(new Date(theirs.updatedAt ?? Date.now()), {
    timeStyle: 'short',
    timeZone: workspace.timezone,
  })
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-warn-soft px-4 py-2.5">
      <p className="min-w-0 grow basis-60 text-13">
        <strong className="font-semibold text-warn">{t('title', { name: theirs.updatedBy?.name ?? '', time })}</strong>{' '}
        {t('body')}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={discard}>{t('take')}</Button>
        <Button variant="primary" busy={busy} onClick={keepMine}>
          {t('keep')}
        </Button>
      </div>
    </div>
  )
}
