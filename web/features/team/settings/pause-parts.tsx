import { useTranslations } from 'use-intl'
import type { Workspace } from '../../../../src/team/workspaces/api.ts'

export type Policy = Workspace['publishing']['onResume']

/** Returns why publishing or the bot is paused, as text. */
export function usePauseReason(what: 'publishing' | 'bot' = 'publishing'): (reason: string | null) => string {
  const t = useTranslations('settings')
  return (reason) =>
    reason === 'restored_from_backup'
      ? t(what === 'bot' ? 'botPausedByRestore' : 'pausedByRestore')
      : reason === 'workspace_restored'
        ? t('pausedByReturn')
        : (reason ?? t('pausedByHand'))
}

/** The choice of what happens to posts that fall due while publishing is paused. */
export function Policies({ policy, onChange }: { policy: Policy; onChange: (policy: Policy) => void }) {
  const t = useTranslations('settings')
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-13 font-medium">{t('onResume')}</legend>
      {(['send', 'draft'] as const).map((one) => (
        <label
          key={one}
          className="flex min-h-6 items-start gap-2 py-1 text-13 max-sm:min-h-11 pointer-coarse:min-h-11"
        >
          <input
            type="radio"
            name="on-resume"
            className="mt-0.5 size-4 shrink-0"
            checked={policy === one}
            onChange={() => onChange(one)}
          />
          {t(one === 'send' ? 'onResumeSend' : 'onResumeDraft')}
        </label>
      ))}
    </fieldset>
  )
}
