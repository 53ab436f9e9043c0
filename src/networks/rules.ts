// What each network takes, as one table of facts. The composer, validation, scheduling and publishing all read it.
// Sources: the networks' published limits; where they publish none, what their answers say.

export interface Facts {
  /** Longest text, caption with call to action and hashtags, counted as the network counts. */
  textLimit: number
  countedIn: 'utf16' | 'codepoints'
  hashtagLimit: number | null
  mentionLimit: number | null
  textOnly: boolean
  images: {
    mimeTypes: readonly string[]
    maxBytes: number
    max: number
    /** Width divided by height. */
    aspect: { min: number; max: number } | null
  } | null
  video: { mimeTypes: readonly string[]; maxBytes: number; seconds: { min: number; max: number } | null } | null
  /** Calls that one connected user may cause in an hour, over all networks of the same app. */
  callsPerHour: number | null
}

const MB = 1_000_000

export const facts: Readonly<Record<'NET_PAGE' | 'NET_PHOTO' | 'NET_VIDEO', Facts>> = {
  NET_PAGE: {
    textLimit: 63_206,
    countedIn: 'utf16',
    hashtagLimit: null,
    mentionLimit: null,
    textOnly: true,
    images: { mimeTypes: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 10 * MB, max: 10, aspect: null },
    video: null,
    callsPerHour: 200,
  },
  NET_PHOTO: {
    textLimit: 2_200,
    countedIn: 'codepoints',
    hashtagLimit: 30,
    mentionLimit: 20,
    textOnly: false,
    images: { mimeTypes: ['image/jpeg'], maxBytes: 8 * MB, max: 10, aspect: { min: 0.8, max: 1.91 } },
    video: { mimeTypes: ['video/mp4', 'video/quicktime'], maxBytes: 300 * MB, seconds: { min: 3, max: 900 } },
    callsPerHour: 200,
  },
  NET_VIDEO: {
    textLimit: 2_200,
    countedIn: 'utf16',
    hashtagLimit: null,
    mentionLimit: null,
    textOnly: false,
    images: { mimeTypes: ['image/jpeg', 'image/webp'], maxBytes: 20 * MB, max: 35, aspect: null },
    video: { mimeTypes: ['video/mp4', 'video/quicktime'], maxBytes: 4_000 * MB, seconds: { min: 3, max: 600 } },
    callsPerHour: null,
  },
}

/** How long a text is for a network, in the unit that it counts. */
export function countText(text: string, countedIn: Facts['countedIn']): number {
  return countedIn === 'utf16' ? text.length : Array.from(text).length
}
