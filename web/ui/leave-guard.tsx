import { useBlocker } from '@tanstack/react-router'
import { ConfirmDiscard } from './dialog.tsx'

/** Whether the person has just agreed to leave. Two guards of one screen ask only once. */
let agreed = false

/** Asks before a person leaves a screen with unsaved changes; with `closing`, also before they close the page. */
export function useLeaveGuard(changed: boolean, { closing = true }: { closing?: boolean } = {}) {
  const blocker = useBlocker({
    shouldBlockFn: () => changed && !agreed,
    enableBeforeUnload: () => closing && changed,
    withResolver: true,
  })
  return {
    isAsking: blocker.status === 'blocked',
    stay: () => blocker.reset?.(),
    leave: () => {
      agreed = true
      setTimeout(() => {
        agreed = false
      })
      blocker.proceed?.()
    },
  }
}

/** The question of a leave guard. */
export const LeaveQuestion = ({ guard }: { guard: ReturnType<typeof useLeaveGuard> }) => (
  <ConfirmDiscard open={guard.isAsking} onStay={guard.stay} onDiscard={guard.leave} />
)
