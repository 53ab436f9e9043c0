import { CirclePause, Play } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { useProblemText } from '../../../../problem.ts'
import { toast } from '../../../../toast.ts'
import { Button } from '../../../../ui/button.tsx'
import { useMay, usePlace } from '../../../shell/workspace.tsx'
import { usePauseReason } from '../../../team/settings/pause-parts.tsx'
import { useChangeWorkspace } from '../../../team/settings/use-change-workspace.ts'

function useSwitch() {
  const t = useTranslations('bot.pause')
  const text = useProblemText()
  const { workspace } = usePlace()
  const change = useChangeWorkspace(workspace, ({ bot }) => toast.success(t(bot.paused ? 'pausedNow' : 'resumedNow')))
  return {
    busy: change.isPending,
    turn: (paused: boolean) =>
      change.mutate({ bot: { paused, reason: null } }, { onError: (error) => toast.error(text(error)) }),
  }
}

/** Pauses the bot immediately in all conversations, without changing its settings. */
export function PauseButton() {
  const t = useTranslations('bot.pause')
  const may = useMay('updateWorkspace')
  const { turn, busy } = useSwitch()
  if (may.hidden) return null
  return (
    <Button variant="ghost" busy={busy} reason={may.reason} onClick={() => turn(true)}>
      <CirclePause className="size-4" aria-hidden />
      {t('pause')}
    </Button>
  )
}

/** Shows that the bot is paused, with a button to resume it. */
export function PausedNote() {
  const t = useTranslations('bot.pause')
  const reasonOf = usePauseReason('bot')
  const may = useMay('updateWorkspace')
  const { workspace } = usePlace()
  const { turn, busy } = useSwitch()
  const { reason } = workspace.bot
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-hold-soft px-4 py-2.5">
      <p className="flex min-w-0 grow basis-60 items-start gap-2 text-13">
        <CirclePause className="mt-0.5 size-4 shrink-0 text-hold" aria-hidden />
        <span>
          <strong className="font-semibold text-hold">{t('isPaused')}</strong>{' '}
          {reason ? <span dir="auto">{reasonOf(reason)}</span> : t('isPausedBody')}
        </span>
      </p>
      {!may.hidden && (
        <Button busy={busy} reason={may.reason} onClick={() => turn(false)}>
          <Play className="size-4" aria-hidden />
          {t('resume')}
        </Button>
      )}
    </div>
  )
}
