import * as z from 'zod'
import type { GraphSettings } from './graph.ts'
import { createGraph } from './graph.ts'
import { type Connection, type Network, NetworkError, type Permit, type Sighting, type Step } from './network.ts'

const Created = z.looseObject({ id: z.string(), permalink_url: z.string().optional() })

const Token = z.looseObject({ access_token: z.string(), expires_in: z.number().optional() })

const Permissions = z.looseObject({ data: z.array(z.looseObject({ permission: z.string(), status: z.string() })) })

const Paging = z
  .looseObject({ cursors: z.looseObject({ after: z.string() }).optional(), next: z.string().optional() })
  .optional()

const Pages = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      username: z.string().optional(),
      link: z.string().optional(),
      access_token: z.string().optional(),
      picture: z.looseObject({ data: z.looseObject({ url: z.string() }) }).optional(),
    }),
  ),
  paging: Paging,
})

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

/** A photo made unpublished, by the media file that it shows. */
const Handles = z.object({ photos: z.record(z.string(), z.string()).default({}) })

/** Networks' clocks differ from ours by this much at most. */
const SKEW = 120_000
const DEFAULT_TOKEN_DAYS = 60
const READ_PAGES = 2

/** The page-based network. Pictures are made unpublished one by one, then shown by one post. */
export function createPage(settings: Omit<GraphSettings, 'appSecret'> & PageSettings): Network {
  const { appId = '', appSecret = '' } = settings
  const call = createGraph({ ...settings, appSecret })
  const scopes = settings.scopes
    ? settings.scopes.map((scope) => ({
        scope,
        neededFor: defaultScopes.find((known) => known.scope === scope)?.neededFor ?? scope,
      }))
    : defaultScopes

  return {
    platform: 'NET_PAGE',
    app: 'graph',
    configured: appId !== '' && appSecret !== '',
    scopes,

    authorizeUrl({ state, redirectUri }) {
      const url = new URL(`${settings.dialogUrl()}/${settings.version}/dialog/oauth`)
      url.search = new URLSearchParams({
        client_id: appId,
        redirect_uri: redirectUri,
        state,
        response_type: 'code',
        auth_type: 'rerequest', // else what was declined once is never asked for again
        scope: scopes.map(({ scope }) => scope).join(','),
      }).toString()
      return url.href
    },

    async connect({ code, redirectUri }) {
      const permit = unmetered
      const client = { client_id: appId, client_secret: appSecret }
      const exchange = (params: Record<string, string>) =>
        call({ method: 'POST', path: '/oauth/access_token', params: { ...client, ...params }, answer: Token, permit })
      const short = await exchange({ redirect_uri: redirectUri, code })
      const long = await exchange({ grant_type: 'fb_exchange_token', fb_exchange_token: short.access_token })
      const token = long.access_token
      const me = await call({ method: 'GET', path: '/me', token, params: { fields: 'id' }, answer: Created, permit })
      const { data: permissions } = await call({
        method: 'GET',
        path: '/me/permissions',
        token,
        answer: Permissions,
        permit,
      })
      const grantedScopes = permissions.filter(({ status }) => status === 'granted').map(({ permission }) => permission)
      const lifetime = long.expires_in ?? DEFAULT_TOKEN_DAYS * 86_400
      const connections: Connection[] = []
      for await (const page of pagesOf(token, permit)) {
        if (!page.access_token) continue // a page on which this person may not act
        connections.push({
          externalId: page.id,
          userKey: me.id,
          name: page.name,
          username: page.username ?? null,
          avatarUrl: page.picture?.data.url ?? null,
          profileUrl: page.link ?? null,
          accessToken: page.access_token,
          userToken: token,
          tokenExpiresAt: new Date(long.at.getTime() + lifetime * 1000),
          refreshToken: null,
          refreshExpiresAt: null,
          grantedScopes,
        })
      }
      return connections
    },

    async revoke({ externalId, accessToken }, permit) {
      const answer = z.looseObject({ success: z.boolean().optional() })
      await call({ method: 'DELETE', path: `/${externalId}/subscribed_apps`, token: accessToken, answer, permit })
    },

    cost: ({ media, handles }) => {
      const { photos } = Handles.parse(handles)
      return media.filter((item) => !photos[item.id]).length + 1
    },

    async prepare({ account, media, handles, permit }, save) {
      const { photos } = Handles.parse(handles)
      for (const item of media) {
        if (photos[item.id]) continue
        const params = {
          url: item.url,
          published: false,
          ...(item.altText !== '' && { alt_text_custom: item.altText }),
        }
        const path = `/${account.externalId}/photos`
        const made = await call({ method: 'POST', path, token: account.accessToken, params, answer: Created, permit })
        photos[item.id] = made.id
        await save({ photos })
      }
    },

    async commit({ account, text, media, handles, permit }) {
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
        permit,
        commit: true,
      })
      return { externalId: made.id, permalink: made.permalink_url ?? null, publishedAt: made.at }
    },

    readCost: READ_PAGES,

    async find(step, since, now) {
      const found: Sighting[] = []
      let after: string | undefined
      let from: number | undefined
      for (let pages = 0; pages < READ_PAGES; pages += 1) {
        // The first read tells how far the network's clock is behind ours: the window opens by so much earlier.
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
          permit: step.permit,
        })
        from ??= since.getTime() - SKEW + Math.min(0, answer.at.getTime() - now.getTime())
        for (const post of answer.data) {
          if (timeOf(post).getTime() >= from && shows(post, step, appId)) {
            found.push({ externalId: post.id, permalink: post.permalink_url ?? null, publishedAt: timeOf(post) })
          }
        }
        // Newest first: behind a post that is older than the window nothing younger follows.
        const last = answer.data.at(-1)
        const beyond = last !== undefined && timeOf(last).getTime() < from
        after = answer.paging?.next && !beyond ? answer.paging.cursors?.after : undefined
        if (!after) return found
      }
      throw new NetworkError('AMBIGUOUS', 'More was posted since then than can be read.', { committed: 'maybe' })
    },
  }

  async function* pagesOf(token: string, permit: Permit) {
    let after: string | undefined
    do {
      const answer = await call({
        method: 'GET',
        path: '/me/accounts',
        token,
        params: {
          fields: 'id,name,username,link,access_token,tasks,picture{url}',
          limit: '100',
          ...(after && { after }),
        },
        answer: Pages,
        permit,
      })
      yield* answer.data
      after = answer.paging?.next ? answer.paging.cursors?.after : undefined
    } while (after)
  }
}

export interface PageSettings {
  appId?: string | undefined
  appSecret?: string | undefined
  dialogUrl: () => string
  /** Replaces the permissions asked for. */
  scopes?: string[] | undefined
}

/** The specification's permissions and those that its own features need besides. */
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
  { scope: 'instagram_manage_insights', neededFor: 'analytics NET_PHOTO' },
] as const

/** Connecting happens before anybody's calls can be counted. */
const unmetered: Permit = { take() {}, report() {} }

const timeOf = (post: PagePost) => {
  const time = new Date(post.created_time.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  if (Number.isNaN(time.getTime())) {
    throw new NetworkError('AMBIGUOUS', 'A post without a readable time.', { committed: 'maybe' })
  }
  return time
}

const normalised = (text: string) => text.replaceAll('\r\n', '\n').trim().normalize('NFC')

/** Whether a post is the one that this step would make: ours, with the same text and exactly the same photos. */
function shows(post: PagePost, { text, media, handles }: Step, appId: string): boolean {
  if (post.application && post.application.id !== appId) return false
  if (normalised(post.message ?? '') !== normalised(text)) return false
  const attachments = post.attachments?.data ?? []
  const targets = attachments
    .flatMap((each) => (each.subattachments ? each.subattachments.data : [each]))
    .map((each) => each.target?.id)
  const { photos } = Handles.parse(handles)
  const expected = media.map((item) => photos[item.id])
  // A link in a text has an attachment of its own; photos are told by their ids, which are ours alone.
  return media.length === 0
    ? true
    : targets.length === expected.length && expected.every((id) => id && targets.includes(id))
}
