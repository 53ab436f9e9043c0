import * as z from 'zod'
import { fetchPhoto } from '../graph/media.ts'
import { bodyOf, creatorOf, invalid, type VideoCall, VideoError } from './call.ts'
import { optionsOf, refuseTooMany } from './posting.ts'
import { PRIVACY, type VideoUpload } from './state.ts'

const TITLE_LIMIT = 90
const DESCRIPTION_LIMIT = 4000
const MOST = 35
const BYTES_LIMIT = 20_000_000
/** Milliseconds of the network's time until fetched pictures are posted. */
const PROCESSING = 5_000
const FETCH_TIMEOUT = 10_000

const utf16 = (limit: number) => z.string().refine(({ length }) => length <= limit)

const Pictures = z.strictObject({
  media_type: z.literal('PHOTO'),
  post_mode: z.literal('DIRECT_POST'),
  post_info: z.strictObject({
    title: utf16(TITLE_LIMIT).default(''),
    description: utf16(DESCRIPTION_LIMIT).default(''),
    privacy_level: z.enum(PRIVACY),
    disable_comment: z.boolean().default(false),
    auto_add_music: z.boolean().default(false),
    brand_content_toggle: z.boolean().default(false),
    brand_organic_toggle: z.boolean().default(false),
  }),
  source_info: z.strictObject({
    source: z.literal('PULL_FROM_URL'),
    photo_cover_index: z.int().min(0),
    photo_images: z
      .array(z.url({ protocol: /^https?$/ }))
      .min(1)
      .max(MOST),
  }),
  is_aigc: z.boolean().default(false),
})

/** `POST /v2/post/publish/content/init/`: fetches pictures from their URLs and posts them. This cannot be undone. */
export async function publishPictures(call: VideoCall): Promise<object> {
  const { store, timeScale } = call
  const creator = creatorOf(call, 'video.publish')
  const { post_info: post, source_info: source, is_aigc: aiGenerated } = bodyOf(call, Pictures)
  if (source.photo_cover_index >= source.photo_images.length) throw invalid('photo_cover_index is out of range.')
  if (!source.photo_images.every(isVerified)) throw new VideoError(403, 'url_ownership_unverified')
  if (!optionsOf(creator).includes(post.privacy_level)) {
    throw new VideoError(403, 'privacy_level_option_mismatch', 'The creator does not allow this privacy level.')
  }
  if (post.brand_content_toggle && post.privacy_level === 'SELF_ONLY') {
    throw invalid('Branded content cannot be visible to the creator only.')
  }
  const refused = /\[sim:refuse ([a-z_]+)\]/.exec(post.description)?.[1]
  if (refused !== undefined) throw new VideoError(refused === 'rate_limit_exceeded' ? 429 : 403, refused)
  const fetched = await Promise.all(source.photo_images.map((url) => pull(call, url)))
  refuseTooMany(call, creator)
  // No await from here to the record.
  const reason =
    /\[sim:fail ([a-z_]+)\]/.exec(post.description)?.[1] ?? fetched.find((each) => typeof each === 'string')
  const pictures = fetched.filter((each) => typeof each !== 'string')
  const now = store.clock.now()
  const { nextId } = store.state
  const upload: VideoUpload = {
    id: `p_pub_url~v2.${nextId}`,
    openId: creator.openId,
    secret: '',
    at: now,
    title: post.description,
    privacy: post.privacy_level,
    ...(aiGenerated && { aiGenerated }),
    size: 0,
    chunk: 0,
    count: 0,
    parts: [],
    pictures,
    end: {
      sha256: pictures[0]?.sha256 ?? '',
      doneAt: now + PROCESSING / timeScale,
      ...(reason !== undefined && { reason }),
      postId: `7${String(nextId).padStart(18, '0')}`,
    },
  }
  store.record({ type: 'video.begun', upload })
  return { publish_id: upload.id }
}

/** Whether a URL belongs to the app, which here means this machine. */
const isVerified = (url: string) => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)

/** Fetches a picture from its URL without following redirects, or returns the reason of the network's refusal. */
async function pull({ store }: VideoCall, url: string): Promise<NonNullable<VideoUpload['pictures']>[number] | string> {
  const bytes = await fetchPhoto(url, FETCH_TIMEOUT, BYTES_LIMIT).catch(() => undefined)
  if (!bytes) return 'photo_pull_failed'
  const { default: sharp } = await import('sharp')
  const { format, width, height } = await sharp(bytes)
    .metadata()
    .catch(() => ({ format: '', width: 0, height: 0 }))
  if (format !== 'jpeg' && format !== 'webp') return 'file_format_check_failed'
  if (Math.min(width, height) > 1080 || Math.max(width, height) > 1920) return 'picture_size_check_failed'
  return { sha256: await store.keep(bytes), mime: `image/${format}`, width, height }
}
