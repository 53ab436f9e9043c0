import type { JobHandlers } from '../platform/jobs.ts'
import type { Services } from '../services.ts'
import { removeUnnamed } from './media.ts'
import { createDecoder } from './media-decoder.ts'
import { processMedia } from './media-process.ts'

export function mediaJobs(services: Services): Pick<JobHandlers, 'media' | 'storage-removal'> {
  const decode = createDecoder()
  return {
    media: (scope, { mediaFileId }) => processMedia(scope, { storage: services.storage, decode }, mediaFileId),
    'storage-removal': (scope, { keys }) => removeUnnamed(scope, services, keys),
  }
}
