import { invalid } from '../errors.ts'

/** The place after a row in a list that is ordered by id; opaque to clients. */
export const encodeCursor = (id: string) => Buffer.from(id).toString('base64url')

/** The id of a cursor that this service made. Throws `validation_failed` for anything else. */
export function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString()
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
    throw invalid({ path: '/cursor', code: 'invalid', message: 'Not a cursor of this list.' })
  return id
}
