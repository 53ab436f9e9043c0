import type { Post } from '../../../../src/publishing/posts/api.ts'

type Act = 'schedule' | 'publish' | 'draft'

/** The effect of an approval on the post: publish it, schedule it for a future time, or null if it stays a draft. */
export function effectOf(
  { status, scheduledAt }: Pick<Post, 'status' | 'scheduledAt'>,
  asked: Act | undefined,
): 'publish' | 'schedule' | null {
  const act = status === 'SCHEDULED' ? 'schedule' : asked
  if (act === 'publish') return 'publish'
  return act === 'schedule' && scheduledAt && Date.parse(scheduledAt) > Date.now() ? 'schedule' : null
}
