// What pictures are accepted, under which names they lie, and how a range of them is asked for.

/** The largest picture in bytes. */
export const IMAGE_LIMIT = 20 * 1024 * 1024
/** The most pixels of a picture, of one frame when it is animated. */
export const PIXEL_LIMIT = 50_000_000
/** The most files of one upload: as many as a carousel takes. */
export const FILES_LIMIT = 10
/** The longest side of a thumbnail in pixels. */
export const THUMBNAIL_SIZE = 640

interface PictureType {
  mimeType: string
  extension: string
  /** What clients call it too. */
  aliases: readonly string[]
  extensions: readonly string[]
}

export const pictures = {
  jpeg: {
    mimeType: 'image/jpeg',
    extension: 'jpg',
    aliases: ['image/jpg', 'image/pjpeg'],
    extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
  },
  png: {
    mimeType: 'image/png',
    extension: 'png',
    aliases: ['image/x-png', 'image/apng', 'image/vnd.mozilla.apng'],
    extensions: ['png', 'apng'],
  },
  gif: { mimeType: 'image/gif', extension: 'gif', aliases: [], extensions: ['gif'] },
  webp: { mimeType: 'image/webp', extension: 'webp', aliases: [], extensions: ['webp'] },
} as const satisfies Record<string, PictureType>
export type PictureFormat = keyof typeof pictures

const all = Object.entries(pictures) as [PictureFormat, PictureType][]

/** The format that a media type names, or undefined. */
export const formatOf = (mimeType: string): PictureFormat | undefined =>
  all.find(([, type]) => type.mimeType === mimeType || type.aliases.includes(mimeType))?.[0]

const videos = ['video/mp4', 'video/quicktime', 'video/x-m4v']
export const isVideo = (mimeType: string) => videos.includes(mimeType)

/** Media types that say nothing about the bytes. */
const undeclared = ['', 'application/octet-stream', 'binary/octet-stream']

/** What of a file's name and declared type contradicts its bytes, in words; undefined when nothing does. */
export function contradiction(format: PictureFormat, fileName: string, declared: string): string | undefined {
  const { mimeType, aliases, extensions } = pictures[format] as PictureType
  const type = declared.split(';', 1)[0]!.trim().toLowerCase()
  if (!undeclared.includes(type) && type !== mimeType && !aliases.includes(type)) return `sent as ${type}`
  const extension = /\.([a-z][a-z0-9]{0,9})$/i.exec(fileName)?.[1]?.toLowerCase()
  return extension !== undefined && !extensions.includes(extension) ? `named .${extension}` : undefined
}

/** A name that can be shown and saved anywhere: no path, nothing invisible, at most 255 characters. */
export function displayName(fileName: string, format: PictureFormat): string {
  const name = (fileName.split(/[/\\]/).at(-1) ?? '')
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim()
  const extension = /\.[^.]{1,10}$/.exec(name)?.[0] ?? ''
  const whole = name.length <= 255 ? name : name.slice(0, 255 - extension.length) + extension
  return whole === '' || whole === '.' || whole === '..' ? `picture.${pictures[format].extension}` : whole
}

const extensionType = new Map(all.map(([, { extension, mimeType }]) => [extension, mimeType]))

/** The media type of a served key; undefined for what is never served. Only served copies have an extension: originals have none. */
export function servedType(key: string): string | undefined {
  const extension = /^[A-Za-z0-9_-]{43}\.([a-z0-9]+)$/.exec(key)?.[1]
  return extension === undefined ? undefined : extensionType.get(extension)
}

/** The bytes that a Range header asks for. Undefined: all of them, as for several ranges; `unsatisfiable`: none that are there. */
export function byteRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined
  if (from === '')
    return Number(to) === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(size - Number(to), 0), end: size - 1 }
  const start = Number(from)
  if (to !== '' && Number(to) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end: to === '' ? size - 1 : Math.min(Number(to), size - 1) }
}
