import type { Post } from '../../../../src/publishing/posts/api.ts'

type Act = 'schedule' | 'publish' | 'draft'

/** What an approval does to the schedule: it publishes, it sets a time that is still to come, or it leaves a draft. */
export function effectOf(
  { status, scheduledAt }: Pick<Post, 'status' | 'scheduledAt'>,
  asked: Act | undefined,
): 'publish' | 'schedule' | null {
  const act = status === 'SCHEDULED' ? 'schedule' : asked
  if (act === 'publish') return 'publish'
  return act === 'schedule' && scheduledAt && Date.parse(scheduledAt) > Date.now() ? 'schedule' : null
}
