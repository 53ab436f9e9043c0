import type { QueryClient } from '@tanstack/react-query'
import type { MediaFile, MediaPatch } from '../../../../src/publishing/media/api.ts'
import { call } from '../../../client.ts'
import { mediaQuery } from '../../../queries.ts'
import { saveOver } from '../../../save-over.ts'

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The fields of a form that differ from the file. */
const changedIn = (file: MediaFile, form: MediaPatch): MediaPatch =>
  Object.fromEntries(Object.entries(form).filter(([field, value]) => !isSame(value, file[field as keyof MediaPatch])))

/**
 * Saves only the fields that a person changed since `base`. Other people's changes of other fields stay. Throws
 * `stale_version` if another person has changed one of the same fields.
 */
export async function saveFile(client: QueryClient, base: MediaFile, form: MediaPatch): Promise<MediaFile> {
  const body = changedIn(base, form)
  if (Object.keys(body).length === 0) return base
  const { id, workspaceId } = base
  return saveOver(
    base,
    body,
    (ifMatch) => call('updateMedia', { workspace: workspaceId, params: { id }, body, ifMatch }),
    () => client.fetchQuery({ ...mediaQuery(workspaceId, id), staleTime: 0 }),
  )
}
