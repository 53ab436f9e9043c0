import { CirclePause, Sparkles } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { OpenThread } from '../../../../../src/conversations/threads/api.ts'
import { networks } from '../../../../../src/networks/rules.ts'
import { Button } from '../../../../ui/button.tsx'
import { lazy } from '../../../../ui/part.tsx'
import { useWindow } from '../../inbox/times.ts'
import { useHoldWords } from '../why/steps.ts'
import { useSuggestion } from './use-suggestion.tsx'

const WhyDialog = lazy(() => import('../why/why-dialog.tsx'))

/**
 * Shown above the reply box when there is no draft: why the bot left the message to people, and a button, with its
 * price, that asks for a suggestion.
 */
export function NoDraft({ thread }: { thread: OpenThread }) {
  const t = useTranslations('why.suggest')
  const hold = useHoldWords()
  const { ask, busy, hidden, reason, cost, problem, nothing } = useSuggestion(thread.id)
  const left = useWindow()(thread)
  const [why, setWhy] = useState<string | null>(null)
  const { held, decisionId } = thread
  const answerable =
    thread.unansweredAt !== null &&
    thread.status !== 'CLOSED' &&
    !thread.customer?.erased &&
    networks[thread.platform].answers !== undefined &&
    left?.state !== 'closed'
  const offers = !hidden && answerable
  /** The reply that came of the decision says why itself. */
  const isTold = thread.messages.some((message) => message.decisionId === decisionId)
  const asked = nothing?.id ?? (isTold ? null : decisionId)
  if (!held && !offers && asked === null) return null
  return (
    <div className="mx-3 mb-1.5 flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1 text-xs lg:mx-4">
      {held && (
        <p className="flex min-w-0 items-start gap-1.5 text-hold">
          <CirclePause className="mt-px size-3.5 shrink-0" aria-hidden />
          {hold(held.reason)}
        </p>
      )}
      {asked !== null && (
        <Button variant="ghost" size="sm" className="px-1.5! text-xs! sm:min-h-6!" onClick={() => setWhy(asked)}>
          {t(held || nothing ? 'why' : 'decided')}
        </Button>
      )}
      {offers && (
        <span className="ms-auto flex min-w-0 flex-wrap items-center gap-x-2">
          <span role="status" className="min-w-0 text-muted">
            {busy ? (
              t('busy')
            ) : problem ? (
              <span className="text-bad">{problem}</span>
            ) : (
              (reason ?? t('cost', { count: cost }))
            )}
          </span>
          <Button size="sm" busy={busy} reason={reason} onClick={ask}>
            <Sparkles className="size-3.5" aria-hidden />
            {t('ask')}
          </Button>
        </span>
      )}
      <Suspense>{why !== null && <WhyDialog id={why} onClose={() => setWhy(null)} />}</Suspense>
    </div>
  )
}
