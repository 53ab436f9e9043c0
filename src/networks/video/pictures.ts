import * as z from 'zod'
import { type Since, windowFrom } from '../clock.ts'
import type { Accepted, RemotePost, Step } from '../network.ts'
import { sameText } from '../rules.ts'
import type { VideoClient } from './client.ts'

// Posts of pictures. The network fetches them itself: the call that names them is the commit, and there is no handle
// before it.

/** A post in the list of an account. */
export const ListedPost = z.looseObject({
  id: z.string(),
  create_time: z.number(),
  video_description: z.string().default(''),
  share_url: z.string().optional(),
})
const Listed = z.looseObject({ videos: z.array(ListedPost) })
const Published = z.looseObject({ publish_id: z.string().regex(/^[\w.~-]{1,64}$/) })

export async function publishPictures({ call }: VideoClient, step: Step): Promise<Accepted> {
  const { account, reservation, options, text, media } = step
  const body = {
    media_type: 'PHOTO',
    post_mode: 'DIRECT_POST',
    post_info: {
      description: text,
      privacy_level: options.privacyLevel,
      disable_comment: options.allowComment !== true,
      auto_add_music: false,
      brand_content_toggle: options.brandContent === true,
      brand_organic_toggle: options.brandOrganic === true,
    },
    source_info: { source: 'PULL_FROM_URL', photo_cover_index: 0, photo_images: media.map(({ url }) => url) },
    ...(media.some(({ aiGenerated }) => aiGenerated) && { is_aigc: true }),
  }
  const path = '/v2/post/publish/content/init/'
  const made = await call({ path, token: account.accessToken, body, answer: Published, reservation, commit: true })
  return { handles: { publishId: made.publish_id } }
}

/**
 * Looks among the posts that the account shows. A missing post may still be under review or visible to few people, so
 * absence proves nothing.
 */
export async function findPictures(
  { call }: VideoClient,
  { account, reservation, text }: Step,
  since: Since,
): Promise<RemotePost[] | 'unprovable'> {
  const path = '/v2/video/list/?fields=id,create_time,video_description,share_url'
  const { videos, at: answered } = await call({
    path,
    token: account.accessToken,
    body: { max_count: 20 },
    answer: Listed,
    reservation,
  })
  const from = windowFrom(since, answered)
  const found = videos.filter(
    ({ create_time: at, video_description: words }) => at * 1000 >= from && sameText(words, text),
  )
  if (found.length === 0) return 'unprovable'
  return found.map(({ id, create_time: at, share_url: permalink = null }) => ({
    externalId: id,
    permalink,
    publishedAt: new Date(at * 1000),
  }))
}
