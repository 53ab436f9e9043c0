import { useTranslations } from 'use-intl'
import type { ComposerView } from './use-view.ts'

/** Switches between the text and its preview, where there is no room for both. */
export function ViewSwitch({ view }: { view: ComposerView }) {
  const t = useTranslations('composer')
  const previews = !view.edits && view.panel === 'preview'
  return (
    <div className="px-3 pt-3 lg:hidden">
      <div
        role="group"
        aria-label={t('viewLabel')}
        className="grid grid-cols-2 gap-0.5 rounded-[7px] border bg-sunken p-0.5 text-sm font-medium"
      >
        <Half label={t('editView')} on={view.edits} onClick={view.write} />
        <Half label={t('previewTitle')} on={previews} onClick={() => view.show('preview')} />
      </div>
    </div>
  )
}

const Half = ({ label, on, onClick }: { label: string; on: boolean; onClick: () => void }) => (
  <button
    type="button"
    aria-pressed={on}
    onClick={onClick}
    className="min-h-9 rounded-[5px] text-muted hover:text-fg aria-pressed:bg-surface aria-pressed:text-fg aria-pressed:shadow-card max-sm:min-h-11 dark:aria-pressed:bg-hover"
  >
    {label}
  </button>
)
