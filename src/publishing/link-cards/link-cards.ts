import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { AppError } from '../../core/errors.ts'
import { countTry } from '../../core/platform/limits.ts'
import { NotReached, type PublicWeb, type Resource } from '../../core/platform/public-web.ts'
import { userIdOf } from '../../core/platform/actor.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { createDecoder } from '../media/media-decoder.ts'
import { UnusableFile } from '../media/media-unusable.ts'
import type { LinkCard } from './api.ts'
import { readPage } from './rules.ts'

/** The maximum number of bytes to read of a page's head, and of its picture. */
const MOST_HTML = 512 * 1024
const MOST_PICTURE = 8 * 2 ** 20

/** How long a card is kept, in milliseconds. A card without a title is read again sooner. */
const KEPT = 10 * 60_000
const KEPT_EMPTY = 60_000
/** The maximum number of characters of all cached cards together. */
const MOST_KEPT = 8 * 2 ** 20
/** The maximum number of pages that one process reads at the same time. */
const AT_ONCE = 8
/** The maximum number of uncached pages that a person may request in a minute. */
export const PAGES_PER_MINUTE = 30

/**
 * Returns a function that reads what a page states about itself. Each process keeps cards for ten minutes and shares
 * them between all people, since they are made of public pages. A page that is not reached has a card with only its
 * host.
 */
export function createLinkCards(web: PublicWeb): (scope: Scope, address: string) => Promise<LinkCard> {
  const decoder = createDecoder()
  let running = 0
  const cards = new LRUCache<string, LinkCard>({
    ttl: KEPT,
    maxSize: MOST_KEPT,
    sizeCalculation: (card) => 500 + (card.picture?.url.length ?? 0),
    // Concurrent requests for the same page share one read.
    fetchMethod: async (address, _stale, { options }) => {
      if (running >= AT_ONCE)
        throw new AppError('unavailable', 'Too many pages are being read right now. Try again shortly.', {
          retryAfter: 2,
        })
      running += 1
      try {
        const card = await read(address)
        if (card.title === null) options.ttl = KEPT_EMPTY
        return card
      } finally {
        running -= 1
      }
    },
  })

  async function read(address: string): Promise<LinkCard> {
    const { host } = new URL(address)
    const none = { url: address, host, title: null, description: null, picture: null }
    const page = await reached(web.get(address, { accept: 'text/html', most: MOST_HTML, cut: true }))
    if (!page || !/^(text\/html|application\/xhtml\+xml)\b/i.test(page.type)) return none
    const { picture, ...words } = readPage(textOf(page))
    const pictureUrl = picture !== null && URL.canParse(picture, page.url.href) ? new URL(picture, page.url) : null
    return { ...none, ...words, picture: pictureUrl && (await readPicture(pictureUrl)) }
  }

  async function readPicture(url: URL): Promise<LinkCard['picture']> {
    const file = await reached(
      web.get(url, { accept: 'image/webp,image/png,image/jpeg,image/gif', most: MOST_PICTURE }),
    )
    if (!file) return null
    const folder = await mkdtemp(join(tmpdir(), 'parley-link-'))
    try {
      const path = join(folder, 'picture')
      await writeFile(path, file.bytes)
      const { width, height, bytes } = await decoder.thumbnail(path)
      return { url: `data:image/webp;base64,${Buffer.from(bytes).toString('base64')}`, width, height }
    } catch (error) {
      if (error instanceof UnusableFile) return null
      throw error
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  return async (scope, address) => {
    const { href } = new URL(address)
    const kept = cards.get(href)
    if (kept) return { ...kept, url: address }
    const userId = userIdOf(scope.actor)
    await countTry(scope, { key: `link-card ${userId}`, tries: PAGES_PER_MINUTE, seconds: 60 })
    const card = await cards.fetch(href)
    if (!card) throw new AppError('unavailable', 'The page is still being read. Try again shortly.', { retryAfter: 2 })
    return { ...card, url: address }
  }
}

/** Returns the resource, or undefined if it is not reached. */
const reached = (asked: Promise<Resource>): Promise<Resource | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof NotReached) return undefined
    throw error
  })

/** Decodes a page in the character set that the server or the page itself declares. */
function textOf({ type, bytes }: Resource): string {
  const charset = /charset\s*=\s*["']?([\w-]+)/i
  const told = charset.exec(type)?.[1] ?? charset.exec(bytes.subarray(0, 1_024).toString('latin1'))?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(told).decode(bytes)
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder().decode(bytes)
    throw error
  }
}
