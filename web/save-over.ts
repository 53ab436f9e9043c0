import { isProblem } from './client.ts'

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * Saves `body` over `base`, the version that a person saw. If others have saved another version since, it is saved over
 * the `latest` one, so that their changes of other settings stay. Throws `stale_version` if they changed a setting of
 * `body`, for which `agree` is asked.
 */
export async function saveOver<B extends object, T extends { version: number } & { [K in keyof B]?: unknown }>(
  base: T,
  body: B,
  put: (ifMatch: number) => Promise<T>,
  latest: () => Promise<T>,
  agree = (a: T, b: T) => (Object.keys(body) as (keyof B)[]).every((key) => isSame(a[key], b[key])),
): Promise<T> {
  try {
    return await put(base.version)
  } catch (error) {
    if (!isProblem(error, 'stale_version')) throw error
    const now = await latest()
    if (!agree(base, now)) throw error
    return put(now.version)
  }
}
