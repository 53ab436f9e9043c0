import { refuse } from './errors.ts'

export type ReadPicture = { mime: string; width: number; height: number }

const PHOTO_LIMIT = 10 * 1024 * 1024

/**
 * Fetches a photo as the network does: one GET, which must return 200 with an image type, without a redirect, within
 * the time and the size limit. Throws code 324 with subcode 2069019 if it is not available, or 1366046 if it is too
 * large.
 */
export async function fetchPhoto(url: string, timeoutMs: number, limit = PHOTO_LIMIT): Promise<Buffer> {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address?.protocol !== 'http:' && address?.protocol !== 'https:') throw refuse.unfetched('not an address')
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(address, {
      redirect: 'manual',
      signal,
      headers: { 'user-agent': 'sandbox-fetch/1.0' },
    })
    try {
      if (response.status !== 200) throw refuse.unfetched(`answered ${response.status}`)
      const type = response.headers.get('content-type') ?? 'nothing'
      if (!type.startsWith('image/')) throw refuse.unfetched(`its type is ${type}`)
      return await readAll(response, limit)
    } finally {
      if (!response.bodyUsed) await response.body?.cancel()
    }
  } catch (error) {
    if (signal.aborted) throw refuse.unfetched('it took too long')
    if (error instanceof TypeError) throw refuse.unfetched('the connection failed')
    throw error
  }
}

async function readAll(response: Response, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > limit) throw refuse.badPhoto()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Detects the format of a photo from its bytes, whatever its declared type: a readable JPEG, PNG, GIF, BMP or TIFF.
 * Throws code 324, subcode 1366046 for anything else, and above 10 MB.
 */
export async function inspectPhoto(bytes: Buffer): Promise<ReadPicture> {
  const mime = kindOf(bytes)
  if (mime === undefined || bytes.length > PHOTO_LIMIT) throw refuse.badPhoto()
  if (mime === 'image/bmp') {
    if (bytes.length < 26) throw refuse.badPhoto()
    return { mime, width: bytes.readInt32LE(18), height: Math.abs(bytes.readInt32LE(22)) }
  }
  const { default: sharp } = await import('sharp')
  try {
    const { width, height } = await sharp(bytes).metadata()
    return { mime, width, height }
  } catch {
    throw refuse.badPhoto()
  }
}

const SIGNATURES: [string, string][] = [
  ['ffd8ff', 'image/jpeg'],
  ['89504e470d0a1a0a', 'image/png'],
  ['47494638', 'image/gif'],
  ['424d', 'image/bmp'],
  ['49492a00', 'image/tiff'],
  ['4d4d002a', 'image/tiff'],
]

function kindOf(bytes: Buffer): string | undefined {
  const head = bytes.toString('hex', 0, 12)
  return SIGNATURES.find(([start]) => head.startsWith(start))?.[1]
}

/** Returns the URL of a picture for a comment or a message, which the network fetches before it accepts either. */
export async function fetchedPicture(url: string): Promise<string> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
  const isPicture = answer?.ok === true && (answer.headers.get('content-type') ?? '').startsWith('image/')
  await answer?.body?.cancel()
  if (!isPicture) throw refuse.parameter('Upload attachment failure')
  return url
}
