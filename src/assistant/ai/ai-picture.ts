import { buffer } from 'node:stream/consumers'
import { LONGEST_ALT_TEXT } from '../../publishing/media/api.ts'
import { uploadMedia } from '../../publishing/media/media-ingest.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { PostPatch, Post } from '../../publishing/posts/api.ts'
import { AppError } from '../../core/errors.ts'
import type { Picture, ShownPicture } from '../../core/platform/model/model.ts'
import { editPost } from '../../publishing/posts/posts.ts'
import { markGenerated } from '../../publishing/media/media.ts'
import type { Begun } from './ai-turns.ts'
import { endInPost, roleOf, type GenerationPorts, succeed } from './ai-end.ts'
import type { ImageInput } from './api.ts'
import { cut, mayEdit } from './rules.ts'

/** For each aspect ratio, the nearest size that the model makes, and the size that is cut out of it. */
const SHAPES = {
  '1:1': { size: '1024x1024', width: 1024, height: 1024 },
  '4:5': { size: '1024x1536', width: 1024, height: 1280 },
  '2:3': { size: '1024x1536', width: 1024, height: 1536 },
  '3:2': { size: '1536x1024', width: 1536, height: 1024 },
  '9:16': { size: '1024x1536', width: 864, height: 1536 },
  '16:9': { size: '1536x1024', width: 1536, height: 864 },
} as const

const LONGEST_NAME = 60

const promptOf = ({ prompt, style }: ImageInput, { voice }: Begun) =>
  [
    prompt,
    style && `Style: ${style}.`,
    voice && voice.toneAttributes.length > 0 && `Mood: ${voice.toneAttributes.join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n')

/** Returns the picture to describe as the model sees it: decoded, small, and in a format that every model accepts. */
export async function pictureFor(
  { storage }: Pick<GenerationPorts, 'storage'>,
  { pictureKey }: Begun,
): Promise<ShownPicture> {
  if (pictureKey === null) throw new AppError('not_found', 'The picture was deleted.')
  const { default: sharp } = await import('sharp')
  const bytes = await sharp(await buffer(storage.read(pictureKey)))
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 85 })
    .toBuffer()
  return { bytes, mimeType: 'image/jpeg' }
}

/**
 * Has the model make a picture and saves it as a file, and in its post if there is one. This and the end of the
 * generation happen together or not at all.
 */
export async function makePicture(
  author: Scope,
  ports: GenerationPorts,
  begun: Begun,
  signal: AbortSignal,
): Promise<void> {
  const input = begun.input as ImageInput
  const { size, width, height } = SHAPES[input.aspectRatio ?? '1:1']
  const { bytes, ...use } = await ports.model.image({ prompt: promptOf(input, begun), size, signal })
  const picture = await cutOut(bytes, width, height)
  signal.throwIfAborted()
  const keep = (applied: boolean | null) => keepPicture(author, ports, begun, { use, picture, applied })
  if (begun.postId === null) return keep(null)
  return endInPost(keep)
}

/** Cuts the model's picture to exactly the requested size. */
async function cutOut(bytes: Uint8Array, width: number, height: number): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  try {
    return await sharp(bytes, { limitInputPixels: 50_000_000 })
      .resize(width, height, { fit: 'cover' })
      .jpeg({ quality: 92, mozjpeg: false })
      .toBuffer()
  } catch {
    throw new AppError('ai_failed', 'The AI’s response isn’t a picture. Try again.')
  }
}

async function keepPicture(
  author: Scope,
  ports: GenerationPorts,
  begun: Begun,
  {
    use,
    picture,
    applied: wanted,
  }: { use: Omit<Picture, 'bytes' | 'mimeType'>; picture: Buffer; applied: boolean | null },
): Promise<void> {
  const { prompt } = begun.input as ImageInput
  const words = prompt.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const fileName = `${cut(words.slice(0, 6).join('-'), LONGEST_NAME) || 'picture'}.jpg`
  async function* files() {
    yield { fileName, declaredType: 'image/jpeg', bytes: one(picture) }
  }
  await uploadMedia(author, ports, { size: picture.byteLength, files: files() }, async (tx, [file]) => {
    const mediaFileId = file?.id ?? ''
    await markGenerated(tx, mediaFileId, cut(prompt, LONGEST_ALT_TEXT))
    const role = wanted ? await roleOf(tx, begun) : null
    const applied = wanted && mayEdit(role)
    const { model, inputTokens, outputTokens } = use
    const result = {
      options: [],
      dropped: [],
      voice: null,
      mediaFileId,
      applied,
      use: { model, inputTokens, outputTokens },
    }
    // The generation was stopped in the meantime, so the picture is not kept.
    if (!(await succeed(tx, begun, result))) throw new AppError('ai_cancelled')
    if (!applied || begun.postId === null) return
    await editPost(tx, ports, begun.postId, (post) => withPicture(post, mediaFileId), role)
  })
}

async function* one(bytes: Buffer) {
  yield bytes
}

const withPicture = ({ media }: Post, mediaFileId: string): PostPatch => ({
  media: [
    ...media.map(({ file: _, ...item }) => item),
    { mediaFileId, sortOrder: Math.max(-1, ...media.map(({ sortOrder }) => sortOrder)) + 1 },
  ],
})
