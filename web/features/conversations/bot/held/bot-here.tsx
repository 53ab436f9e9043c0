import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Bot, BotOff } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { OpenThread } from '../../../../../src/conversations/threads/api.ts'
import { call } from '../../../../client.ts'
import { toast } from '../../../../toast.ts'
import { Button } from '../../../../ui/button.tsx'
import { useMay, usePlace } from '../../../shell/workspace.tsx'
import { patchThread, renewThread } from '../../inbox/cache.ts'
import { useInboxProblem } from '../../inbox/problem.ts'
import { configQuery } from '../queries.ts'

/** Whether the bot replies in a thread, with a switch. Renders nothing where the bot is off. */
export function BotHere({ thread }: { thread: OpenThread }) {
  const t = useTranslations('why.here')
  const problem = useInboxProblem()
  const client = useQueryClient()
  const { ws, workspace } = usePlace()
  const may = useMay('pauseBot')
  const config = useQuery(configQuery(ws)).data
  const { id, botPausedAt } = thread
  const turn = useMutation({
    mutationFn: (paused: boolean) => call('pauseBot', { workspace: ws, params: { id }, body: { paused } }),
    onMutate: (paused) => patchThread(client, ws, id, { botPausedAt: paused ? new Date().toISOString() : null }),
    onError: (error) => toast.error(problem(error)),
    onSettled: () => renewThread(client, ws, id),
  })
  const channel = thread.kind === 'COMMENT' ? config?.autoReplyComments : config?.autoReplyDMs
  const answers =
    config?.isEnabled && channel && !workspace.bot.paused && !config.answeredElsewhere.includes(thread.accountId)
  if (!answers || thread.status === 'ESCALATED' || thread.status === 'CLOSED') return null
  const paused = botPausedAt !== null
  const Icon = paused ? BotOff : Bot
  return (
    <span className="ms-auto flex min-w-0 items-center gap-1 text-xs text-muted">
      <span className={paused ? 'clip' : 'clip max-sm:sr-only'}>{t(paused ? 'paused' : 'answering')}</span>
      {!may.hidden && (
        <Button
          variant="ghost"
          size="sm"
          className="px-1.5! text-xs! sm:min-h-6!"
          reason={may.reason}
          busy={turn.isPending}
          onClick={() => turn.mutate(!paused)}
        >
          <Icon className="size-3.5" aria-hidden />
          {t(paused ? 'resume' : 'pause')}
        </Button>
      )}
    </span>
  )
}
