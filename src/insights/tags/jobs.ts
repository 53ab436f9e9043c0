import type { JobHandlers } from '../../core/platform/jobs.ts'
import type { Model } from '../../core/platform/model/model.ts'
import type { Scopes } from '../../core/platform/scope.ts'

/** The first job loads the client of the model, so that the start of the service does not wait for it. */
export function tagJobs(
  ports: { model: Model },
  scopes: Pick<Scopes, 'ask' | 'scope'>,
): Pick<JobHandlers, 'post-classify'> {
  return {
    async 'post-classify'(scope, data, stopping) {
      if ('postId' in data) {
        const { classifyPost } = await import('../../assistant/ai/ai-classify.ts')
        return classifyPost(scope, ports, data.postId, stopping)
      }
      const { sweepTags, tagPosts } = await import('./tags.ts')
      await ('own' in data ? tagPosts(scope, ports, stopping) : sweepTags(scope, scopes))
    },
  }
}
