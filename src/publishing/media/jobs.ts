import type { JobHandlers } from '../../core/platform/jobs.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import type { Services } from '../../services.ts'
import { removeUnnamed } from './media.ts'
import { cleanStorage } from './media-clean.ts'
import { makeCrops } from './media-crops.ts'
import { createDecoder } from './media-decoder.ts'
import { processMedia } from './media-process.ts'

export function mediaJobs(
  services: Services,
  scopes: Pick<Scopes, 'ask'>,
): Pick<JobHandlers, 'media' | 'media-slow' | 'media-video' | 'media-crops' | 'storage-removal' | 'storage-clean'> {
  const decode = createDecoder()
  const { storage } = services
  return {
    media: (scope, { mediaFileId }) => processMedia(scope, { storage, decode }, mediaFileId, 'quick'),
    'media-video': (scope, { mediaFileId }) => processMedia(scope, { storage, decode }, mediaFileId),
    'media-crops': (scope, { mediaFileId }) => makeCrops(scope, { storage, decode }, mediaFileId, 'quick'),
    'media-slow': (scope, { mediaFileId, crops }) =>
      (crops ? makeCrops : processMedia)(scope, { storage, decode }, mediaFileId),
    'storage-removal': (scope, { keys }) => removeUnnamed(scope, services, keys),
    'storage-clean': (scope) => cleanStorage(scope, services, scopes),
  }
}
