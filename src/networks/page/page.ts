import * as z from 'zod'
import type { Config } from '../../core/config.ts'
import { foreign, NetworkError } from '../answers.ts'
import { windowFrom } from '../clock.ts'
import { createGraph, type GraphSettings, timeOf } from '../graph/graph.ts'
import { graphComments } from '../graph/comments.ts'
import { graphInbox } from '../graph/inbox.ts'
import { graphLogin, type LoginSettings, Paging, RENEW_COST } from '../graph/login.ts'
import { graphSettings } from '../graph/settings.ts'
import type { Connection, Network, RemotePost, Step } from '../network.ts'
import { pageMetrics } from './metrics.ts'
import type { Places } from '../place.ts'
import { pageVideo } from './page-video.ts'
import { sameText } from '../rules.ts'

const Created = z.looseObject({ id: z.string(), permalink_url: z.string().optional() })

const Done = z.looseObject({ success: z.literal(true) })

const Attachment = z.looseObject({ target: z.looseObject({ id: z.string().optional() }).optional() })

const Posts = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      message: z.string().optional(),
      created_time: z.string(),
      permalink_url: z.string().optional(),
      application: z.looseObject({ id: z.string() }).optional(),
      attachments: z
        .looseObject({
          data: z.array(Attachment.extend({ subattachments: z.looseObject({ data: z.array(Attachment) }).optional() })),
        })
        .optional(),
    }),
  ),
  paging: Paging,
})
type PagePost = z.infer<typeof Posts>['data'][number]

/** The ids of the unpublished photos, by the media file that each shows. */
const Handles = z.object({ photos: z.record(z.string(), z.string()).default({}) })

const READ_PAGES = 2

export const pageOf = (config: Config, place: Places): Network =>
  createPage({
    ...graphSettings(config, place),
    scopes: config.netPage.scopes,
    videoUrl: () =>
      place(config.netPage.videoUrl ?? config.netPage.graphUrl, 'graph', 'https://graph-video.facebook.com'),
  })

/**
 * The adapter of NET_PAGE. Pictures are uploaded one by one without being published, then one post shows them. A video
 * is a separate post.
 */
export function createPage(
  settings: Omit<GraphSettings, 'appSecret'> & LoginSettings & { videoUrl: () => string },
): Network {
  const { appId = '', appSecret = '' } = settings
  const graph = createGraph({ ...settings, appSecret })
  const { call } = graph
  const { configured, scopes, authorizeUrl, signIn, renewal, examine } = graphLogin(graph, settings, defaultScopes)
  const videos = pageVideo(graph, settings)
  const videoOf = ({ media }: Pick<Step, 'media'>) => media.find((item) => item.kind === 'VIDEO')

  return {
    platform: 'NET_PAGE',
    app: 'graph',
    clock: graph.clock,
    configured,
    scopes,
    authorizeUrl,

    async connect(grant) {
      const { userKey, token, expiresAt, grantedScopes, pages } = await signIn(grant)
      return pages.map((page): Connection => ({
        externalId: page.id,
        userKey,
        name: page.name,
        username: page.username ?? null,
        avatarUrl: page.picture?.data.url ?? null,
        profileUrl: page.link ?? null,
        accessToken: page.access_token,
        userToken: token,
        tokenExpiresAt: expiresAt,
        refreshToken: null,
        refreshExpiresAt: null,
        grantedScopes,
      }))
    },

    renewCost: RENEW_COST,

    refresh: ({ externalId, userToken }, reservation) => renewal(userToken, ({ id }) => id === externalId, reservation),

    async revoke({ externalId, accessToken }, reservation) {
      const answer = z.looseObject({ success: z.boolean().optional() })
      await call({ method: 'DELETE', path: `/${externalId}/subscribed_apps`, token: accessToken, answer, reservation })
    },

    examineCost: 2,
    examine,

    cost: (step) => {
      if (videoOf(step)) return videos.cost
      const { media, handles } = step
      const { photos } = Handles.parse(handles)
      return media.filter((item) => !photos[item.id]).length + 1
    },

    async prepare(step, save) {
      const video = videoOf(step)
      if (video) return videos.prepare(step, video, save)
      const { account, media, handles, reservation } = step
      const { photos } = Handles.parse(handles)
      for (const item of media) {
        if (photos[item.id]) continue
        const params = {
          url: item.url,
          published: false,
          ...(item.altText !== '' && { alt_text_custom: item.altText }),
        }
        const path = `/${account.externalId}/photos`
        const made = await call({
          method: 'POST',
          path,
          token: account.accessToken,
          params,
          answer: Created,
          reservation,
        })
        photos[item.id] = made.id
        await save({ photos })
      }
      return undefined
    },

    async commit(step) {
      if (videoOf(step)) return videos.commit(step)
      const { account, text, media, handles, reservation } = step
      const { photos } = Handles.parse(handles)
      const made = await call({
        method: 'POST',
        path: `/${account.externalId}/feed`,
        token: account.accessToken,
        params: {
          message: text,
          published: true,
          fields: 'id,permalink_url',
          ...(media.length > 0 && { attached_media: media.map((item) => ({ media_fbid: photos[item.id] })) }),
        },
        answer: Created,
        reservation,
        commit: true,
      })
      if (!isOf(account, made.id)) throw foreign()
      return { externalId: made.id, permalink: made.permalink_url ?? null, publishedAt: made.at }
    },

    comments: graphComments(graph, {
      fields: 'id,message,created_time,from{id}',
      filter: 'stream',
      order: 'reverse_chronological',
      limit: '100',
    }),

    inbox: graphInbox(graph, { object: 'page', appId, appSecret, verifyToken: settings.verifyToken }),

    metrics: pageMetrics(graph, settings),

    removal: {
      async remove({ account, postId, reservation }) {
        const path = `/${postId}`
        await call({ method: 'DELETE', path, token: account.accessToken, answer: Done, reservation, commit: true })
      },

      readCost: 2,

      async isGone({ account, postId, reservation }) {
        const read = (id: string) =>
          call({
            method: 'GET',
            path: `/${id}`,
            token: account.accessToken,
            params: { fields: 'id' },
            answer: Created,
            reservation,
          })
        try {
          if ((await read(postId)).id !== postId) throw foreign()
          return false
        } catch (error) {
          if (!(error instanceof NetworkError) || error.kind !== 'NOT_FOUND') throw error
          // A token without any access gets the same answer. One that can read the page could also read its post.
          await read(account.externalId)
          return true
        }
      },
    },

    confirm: videos.confirm,

    readCost: READ_PAGES,

    async find(step, since) {
      // The handles show which kind was sent, since the media of the post may have changed.
      if (videoOf(step) || 'video' in step.handles) return videos.find(step)
      const found: RemotePost[] = []
      let after: string | undefined
      let from: number | undefined
      for (let pages = 0; pages < READ_PAGES; pages += 1) {
        const answer = await call({
          method: 'GET',
          path: `/${step.account.externalId}/published_posts`,
          token: step.account.accessToken,
          params: {
            fields:
              'id,message,created_time,permalink_url,application{id},attachments{media_type,target{id},subattachments{media_type,target{id}}}',
            limit: '100',
            ...(after && { after }),
          },
          answer: Posts,
          reservation: step.reservation,
        })
        from ??= windowFrom(since, answer.at)
        for (const post of answer.data) {
          if (!isOf(step.account, post.id)) throw foreign()
          const at = timeOf(post.created_time)
          if (at < from) continue
          const ours = shows(post, step, appId)
          if (ours === 'perhaps') {
            const message = 'A post has the same content, but the network doesn’t say who created it.'
            throw new NetworkError('ambiguous', message, { committed: 'maybe' })
          }
          if (ours) {
            found.push({ externalId: post.id, permalink: post.permalink_url ?? null, publishedAt: new Date(at) })
          }
        }
        // The list is newest first, so after a post before the window, all others are before it too.
        const last = answer.data.at(-1)
        const beyond = last !== undefined && timeOf(last.created_time) < from
        if (!answer.paging?.next || beyond) return found
        after = answer.paging.cursors?.after
        if (!after) break
      }
      throw new NetworkError('ambiguous', 'There are more new posts than can be read.', { committed: 'maybe' })
    },
  }
}

/** The permissions that the specification lists, and those that its features need in addition. */
const defaultScopes = [
  { scope: 'pages_show_list', neededFor: 'connect' },
  { scope: 'pages_manage_posts', neededFor: 'publish' },
  { scope: 'pages_read_engagement', neededFor: 'publish' },
  { scope: 'pages_manage_metadata', neededFor: 'webhooks' },
  { scope: 'pages_manage_engagement', neededFor: 'comments' },
  { scope: 'pages_read_user_content', neededFor: 'comments' },
  { scope: 'pages_messaging', neededFor: 'messages' },
  { scope: 'read_insights', neededFor: 'analytics' },
  { scope: 'instagram_basic', neededFor: 'connect NET_PHOTO' },
  { scope: 'instagram_content_publish', neededFor: 'publish NET_PHOTO' },
  { scope: 'instagram_manage_comments', neededFor: 'comments NET_PHOTO' },
  { scope: 'instagram_manage_messages', neededFor: 'messages NET_PHOTO' },
  { scope: 'instagram_manage_insights', neededFor: 'analytics NET_PHOTO' },
] as const

/** The id of a post starts with the id of its page. */
const isOf = ({ externalId }: Step['account'], id: string) => id.startsWith(`${externalId}_`)

/**
 * Whether a post is the one that this step would make: by this application, with the same text and exactly the same
 * photos. `perhaps` if the network does not report the application.
 */
function shows(post: PagePost, { text, handles }: Step, appId: string): boolean | 'perhaps' {
  if (post.application && post.application.id !== appId) return false
  if (!sameText(post.message ?? '', text)) return false
  const attachments = post.attachments?.data ?? []
  const targets = attachments
    .flatMap((each) => (each.subattachments ? each.subattachments.data : [each]))
    .map((each) => each.target?.id)
  const { photos } = Handles.parse(handles)
  // The photos that were sent, since the media of the post may have changed.
  const expected = Object.values(photos)
  // A link in a text also has an attachment, so a post without photos is not compared by attachments. Photos are
  // identified by their ids, which belong only to us.
  if (expected.length === 0) return post.application ? true : 'perhaps'
  return targets.length === expected.length && expected.every((id) => targets.includes(id))
}
