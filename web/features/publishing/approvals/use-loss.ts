import { changeNeedsApproval } from '../../../../src/publishing/posts/rules.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { lossOf } from './states.ts'

/** Returns a function that says what a post loses if this person gives it a new time. */
export function useLoss() {
  const { workspace, membership } = usePlace()
  const demands = !refusal(membership, 'submitPost') && changeNeedsApproval(workspace.approvalMode, membership.role)
  return (post: Parameters<typeof lossOf>[0]) => lossOf(post, demands)
}
