import type { JobHandlers } from '../platform/jobs.ts'
import type { Platform } from '../platform/scope.ts'
import { classifyPost } from './ai-classify.ts'
import type { RunPorts } from './ai-end.ts'
import { endLeft, runGeneration } from './ai-run.ts'
import { findWorkspaces, prepareIdeas } from './ai-suggestions.ts'

export function aiJobs(
  ports: RunPorts,
  platform: Pick<Platform, 'ask' | 'scope'>,
): Pick<JobHandlers, 'ai-suggestions' | 'post-classify' | 'suggestions-daily'> {
  return {
    'ai-suggestions': (scope, data, stopping) =>
      'generationId' in data
        ? runGeneration(scope, ports, platform, data.generationId, stopping)
        : endLeft(scope, platform),
    'post-classify': (scope, { postId }, stopping) => classifyPost(scope, ports, postId, stopping),
    'suggestions-daily': (scope, { own }, stopping) =>
      own ? prepareIdeas(scope, ports, stopping) : findWorkspaces(scope, platform),
  }
}
