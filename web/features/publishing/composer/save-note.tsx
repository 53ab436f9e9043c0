import { Cloud, CloudAlert, LoaderCircle } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import { useProblemText } from '../../../problem.ts'
import { usePlace } from '../../shell/workspace.tsx'
import type { DraftHandle } from './use-draft.ts'

/** Whether the content is saved, and where. Only what a person must know is announced, not each pause in typing. */
export function SaveNote({ handle, autosaves }: { handle: DraftHandle; autosaves: boolean }) {
  const t = useTranslations('composer')
  const format = useFormatter()
  const text = useProblemText()
  const { workspace } = usePlace()
  const { state, savedAt, id } = handle
  return (
    <span className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
      {state === 'saving' && (
        <>
          <LoaderCircle className="size-3.5 motion-safe:animate-spin" aria-hidden />
          {t('saving')}
        </>
      )}
      {state === 'dirty' && (autosaves ? t('saving') : id ? t('unsaved') : t('keptHere'))}
      {state === 'clean' && id && savedAt && (
        <>
          <Cloud className="size-3.5" aria-hidden />
          {t('saved', { time: format.dateTime(savedAt, { timeStyle: 'short', timeZone: workspace.timezone }) })}
        </>
      )}
      <span role="status" className="flex flex-wrap items-center gap-x-2">
        {(state === 'failed' || state === 'conflict') && (
          <>
            <CloudAlert className="size-3.5 shrink-0 text-warn" aria-hidden />
            {state === 'conflict' ? t('notSaved') : t('saveFailed', { why: text(handle.error) })}
          </>
        )}
        {handle.restored && state !== 'conflict' && (
          <>
            <span>{t('restored')}</span>
            <button
              type="button"
              className="min-h-6 font-medium text-accent-text underline max-sm:min-h-11 max-sm:px-3"
              onClick={handle.discard}
            >
              {t('discardRestored')}
            </button>
          </>
        )}
      </span>
    </span>
  )
}
