import type { JobHandlers } from '../../core/platform/jobs.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import type { GenerationPorts } from './ai-end.ts'

/**
 * The first job loads the client of the model and the word lists of its checks, so that the start does not wait for
 * them.
 */
export function aiJobs(
  ports: GenerationPorts,
  scopes: Pick<Scopes, 'ask' | 'scope'>,
): Pick<JobHandlers, 'ai-suggestions' | 'suggestions-daily'> {
  return {
    async 'ai-suggestions'(scope, data, stopping) {
      const { reapExpired, runGeneration } = await import('./ai-run.ts')
      if ('generationId' in data) await runGeneration(scope, ports, scopes, data.generationId, stopping)
      else await reapExpired(scope, scopes)
    },
    async 'suggestions-daily'(scope, { own }, stopping) {
      const { findWorkspaces, prepareIdeas } = await import('./ai-suggestions.ts')
      if (own) await prepareIdeas(scope, ports, stopping)
      else await findWorkspaces(scope, scopes)
    },
  }
}
