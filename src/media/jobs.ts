import type { JobHandlers } from '../platform/jobs.ts'
import type { Services } from '../services.ts'
import { removeUnnamed } from './media.ts'
import { processMedia } from './media-process.ts'

/** Pictures are decoded one after another: a process never holds two of them decoded in memory. */
export function mediaJobs(services: Services): Pick<JobHandlers, 'media' | 'storage-removal'> {
  let last: Promise<unknown> = Promise.resolve()
  return {
    media: (scope, { mediaFileId }) => {
      const work = () => processMedia(scope, services, mediaFileId)
      const turn = last.then(work, work)
      last = turn
      return turn
    },
    'storage-removal': (scope, { keys }) => removeUnnamed(scope, services, keys),
  }
}
