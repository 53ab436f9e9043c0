import * as z from 'zod'
import type { Config } from '../../core/config.ts'
import { beginAgain, foreign, NetworkError, refusal } from '../answers.ts'
import { type Since, windowFrom } from '../clock.ts'
import { createGraph, type GraphSettings, timeOf } from '../graph/graph.ts'
import { graphComments } from '../graph/comments.ts'
import { graphInbox } from '../graph/inbox.ts'
import { graphLogin, type LoginSettings, RENEW_COST } from '../graph/login.ts'
import { graphSettings } from '../graph/settings.ts'
import { rowOf } from '../failures/rules.ts'
import {
  type Connection,
  type Handles,
  type Network,
  type NotYet,
  type RemotePost,
  type Step,
  type StepMedia,
  unlessUnknown,
} from '../network.ts'
import { photoDiscovery } from './discovery.ts'
import { photoMetrics } from './metrics.ts'
import { type Places, uploadAddress } from '../place.ts'
import { sameText } from '../rules.ts'

const Created = z.looseObject({ id: z.string().regex(/^\d+$/) })
const Begun = z.looseObject({ id: z.string(), uri: z.string() })
const Uploaded = z.looseObject({ success: z.boolean() })
const Container = z.looseObject({
  id: z.string().optional(),
  status_code: z.string().optional(),
  status: z.string().optional(),
})
const Medias = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      caption: z.string().optional(),
      timestamp: z.string(),
      permalink: z.string().optional(),
      media_type: z.string().optional(),
    }),
  ),
})
const Limits = z.looseObject({
  data: z.array(z.looseObject({ quota_usage: z.number(), config: z.looseObject({ quota_total: z.number() }) })),
})
const Medium = z.looseObject({ permalink: z.string().optional() })

/**
 * The handles of prepare: a container for each file of a carousel, and the one to publish. Containers are private until
 * they are published, and expire after a day. `madeAt` is in milliseconds by our clock.
 */
const Containers = z.object({
  children: z.record(z.string(), z.string()).default({}),
  container: z.string().optional(),
  uploadTo: z.string().optional(),
  /** The upload addresses of a carousel's videos whose bytes are not uploaded yet. */
  uploads: z.record(z.string(), z.string()).default({}),
  madeAt: z.number().optional(),
  /** The same time by the network's clock. */
  madeThere: z.number().optional(),
})
type Containers = z.infer<typeof Containers>

const SECOND = 1000
/** When to read the status of a container, counted from when it was made. After these, every minute. */
const looks = [3, 5, 10, 20, 30].map((seconds) => seconds * SECOND)
/** A container that is not finished by then never will be. */
const GIVE_UP = 30 * 60 * SECOND

export const photoOf = (config: Config, place: Places): Network =>
  createPhoto({ ...graphSettings(config, place), scopes: config.netPhoto.scopes })

/**
 * The adapter of NET_PHOTO. It makes a private container of the files, waits until the network has processed it, then
 * publishes it by its id.
 */
export function createPhoto(settings: Omit<GraphSettings, 'appSecret'> & LoginSettings): Network {
  const graph = createGraph({ ...settings, appSecret: settings.appSecret ?? '' })
  const { call, send } = graph
  const { configured, scopes, authorizeUrl, signIn, renewal, examine } = graphLogin(graph, settings, defaultScopes)

  const make = async ({ account, reservation }: Step, params: Record<string, unknown>): Promise<string> => {
    const path = `/${account.externalId}/media`
    const made = await call({ method: 'POST', path, token: account.accessToken, params, answer: Created, reservation })
    return made.id
  }

  /** The time at which the latest container was made, by our clock and by the network's. */
  const timesOf = (now: Date) => {
    const madeThere = graph.clock.now()?.getTime()
    return { madeAt: now.getTime(), ...(madeThere !== undefined && { madeThere }) }
  }

  const statusOf = async ({ account, reservation }: Step, id: string) => {
    const params = { fields: 'id,status_code,status' }
    const found = await call({
      method: 'GET',
      path: `/${id}`,
      token: account.accessToken,
      params,
      answer: Container,
      reservation,
    })
    if (found.id !== undefined && found.id !== id) throw foreign()
    // Observed on the real network: no code, only a text that names the error.
    return {
      code: found.status_code || (found.status?.startsWith('Error') ? 'ERROR' : 'IN_PROGRESS'),
      text: found.status ?? '',
    }
  }

  /** Makes the container of a single file. */
  async function makeOne(step: Step, item: StepMedia, save: (made: Containers) => Promise<void>): Promise<void> {
    const { text, options, now } = step
    const nothing = { children: {}, uploads: {}, ...timesOf(now) }
    if (item.kind === 'IMAGE') {
      const container = await make(
        step,
        isStory(step)
          ? { media_type: 'STORIES', image_url: item.url, ...markOf(item) }
          : { image_url: item.url, caption: text, ...altOf(item), ...markOf(item) },
      )
      return save({ ...nothing, container })
    }
    const begun = await begin(
      step,
      isStory(step)
        ? { media_type: 'STORIES' }
        : {
            media_type: 'REELS',
            caption: text,
            share_to_feed: options.shareToFeed !== false,
            ...(typeof options.coverMs === 'number' && { thumb_offset: options.coverMs }),
          },
    )
    return save({ ...nothing, container: begun.id, uploadTo: begun.uri })
  }

  /** Makes a container that waits for its bytes. */
  const begin = ({ account, reservation }: Step, params: Record<string, unknown>) =>
    call({
      method: 'POST',
      path: `/${account.externalId}/media`,
      token: account.accessToken,
      params: { upload_type: 'resumable', ...params },
      answer: Begun,
      reservation,
    })

  const fill = ({ account, reservation }: Step, video: StepMedia, url: string) =>
    send({
      url: uploadAddress(url, settings.uploadUrl),
      headers: {
        authorization: `OAuth ${account.accessToken}`,
        offset: '0',
        file_size: String(video.size),
        'content-type': 'application/octet-stream',
      },
      bytes: video.read(0, video.size),
      size: video.size,
      answer: Uploaded,
      reservation,
    }).catch(beginAgain)

  /** Makes the container of one file of a carousel and uploads its bytes. */
  async function makeChild(step: Step, item: StepMedia, made: Containers, keep: (next: Containers) => Promise<void>) {
    let current = made
    const child = (id: string) => ({ ...made.children, [item.id]: id })
    const times = timesOf(step.now)
    if (!current.children[item.id] && item.kind === 'IMAGE') {
      const id = await make(step, { image_url: item.url, is_carousel_item: true, ...altOf(item), ...markOf(item) })
      return keep({ ...current, children: child(id), ...times })
    }
    if (!current.children[item.id]) {
      const { id, uri } = await begin(step, { media_type: 'VIDEO', is_carousel_item: true })
      current = { ...current, children: child(id), uploads: { ...current.uploads, [item.id]: uri }, ...times }
      await keep(current)
    }
    const { [item.id]: uploadTo, ...uploads } = current.uploads
    if (!uploadTo) return
    await fill(step, item, uploadTo)
    await keep({ ...current, uploads })
  }

  /** Makes the missing containers and returns all of them, or when to continue. */
  async function makeContainers(step: Step, save: (handles: Handles) => Promise<void>): Promise<Containers | NotYet> {
    const { media, text, now } = step
    let made = Containers.parse(step.handles)
    const keep = async (next: Containers) => {
      made = next
      await save(next)
    }
    if (made.container) return made
    const [first] = media
    if (first && media.length === 1) {
      await makeOne(step, first, keep)
      return made
    }
    for (const item of media) await makeChild(step, item, made, keep)
    const children = media.map((item) => made.children[item.id] as string)
    for (const id of children) {
      const wait = await ready(step, id, made)
      if (wait) return wait
    }
    const container = await make(step, { media_type: 'CAROUSEL', children, caption: text })
    await keep({ ...made, container, ...timesOf(now) })
    return made
  }

  /** Returns undefined if a container is usable, else when to read it again. Throws the network's refusal. */
  async function ready(step: Step, id: string, { madeAt = 0 }: Containers): Promise<NotYet | undefined> {
    const { code, text } = await statusOf(step, id)
    // PUBLISHED: the commit reports the same, and the live post is then looked up.
    if (code === 'FINISHED' || code === 'PUBLISHED') return undefined
    if (code === 'ERROR') throw refusalOf(text)
    const age = step.now.getTime() - madeAt
    if (code === 'EXPIRED' || age > GIVE_UP) {
      throw refusal(rowOf('container', code), null)
    }
    const next = looks.find((time) => time > age)
    return { after: next === undefined ? 60 * SECOND : next - age }
  }

  async function remotePosts(step: Step, since: Since): Promise<RemotePost[]> {
    const { account, reservation, text } = step
    const answer = await call({
      method: 'GET',
      path: `/${account.externalId}/${isStory(step) ? 'stories' : 'media'}`,
      token: account.accessToken,
      params: { fields: 'id,caption,timestamp,permalink,media_type', limit: '50' },
      answer: Medias,
      reservation,
    })
    const from = windowFrom(since, answer.at)
    const expected = typeOf(step)
    return answer.data
      .filter(
        ({ caption = '', timestamp, media_type: type }) =>
          timeOf(timestamp) >= from && sameText(caption, text) && (!type || !expected || type === expected),
      )
      .map(({ id, permalink = null, timestamp }) => ({
        externalId: id,
        permalink,
        publishedAt: new Date(timeOf(timestamp)),
      }))
  }

  return {
    platform: 'NET_PHOTO',
    app: 'graph',
    clock: graph.clock,
    configured,
    scopes,
    authorizeUrl,

    async connect(grant) {
      const { userKey, token, expiresAt, grantedScopes, pages } = await signIn(grant)
      return pages.flatMap((page): Connection[] => {
        const photo = page.instagram_business_account
        if (!photo) return []
        return [
          {
            externalId: photo.id,
            userKey,
            name: photo.name ?? photo.username ?? page.name,
            username: photo.username ?? null,
            avatarUrl: photo.profile_picture_url ?? null,
            profileUrl: photo.username ? `https://www.instagram.com/${photo.username}/` : null,
            accessToken: page.access_token,
            userToken: token,
            tokenExpiresAt: expiresAt,
            refreshToken: null,
            refreshExpiresAt: null,
            grantedScopes,
          },
        ]
      })
    },

    renewCost: RENEW_COST,

    refresh: ({ externalId, userToken }, reservation) =>
      renewal(userToken, (page) => page.instagram_business_account?.id === externalId, reservation),

    /**
     * The permission belongs to the page, which may stay connected. So there is nothing to revoke for the photo account
     * alone.
     */
    async revoke() {},

    examineCost: 3,

    async examine(account, reservation) {
      const found = await examine(account, reservation)
      const { externalId, accessToken: token } = account
      const path = `/${externalId}/content_publishing_limit`
      const params = { fields: 'quota_usage,config' }
      const limits = await unlessUnknown(call({ method: 'GET', path, token, params, answer: Limits, reservation }))
      const [limit] = limits?.data ?? []
      return { ...found, posts: limit ? { used: limit.quota_usage, limit: limit.config.quota_total } : null }
    },

    cost: ({ media }) =>
      media.length > 1 ? media.length * 2 + media.filter(({ kind }) => kind === 'VIDEO').length + 4 : 5,

    async prepare(step, save) {
      const made = await makeContainers(step, save)
      if ('after' in made) return made
      let current = made
      const [video] = step.media
      if (current.uploadTo && video) {
        await fill(step, video, current.uploadTo)
        const { uploadTo: _, ...rest } = current
        current = rest
        await save(current)
      }
      return ready(step, current.container as string, current)
    },

    async commit(step) {
      const { account, reservation } = step
      const { container, children } = Containers.parse(step.handles)
      const made = await call({
        method: 'POST',
        path: `/${account.externalId}/media_publish`,
        token: account.accessToken,
        params: { creation_id: container },
        answer: Created,
        reservation,
        commit: true,
      })
      // Creating a container has an answer of the same shape, so an answer with a container's id belongs to another
      // request.
      if (made.id === container || Object.values(children).includes(made.id)) throw foreign()
      return { externalId: made.id, permalink: null, publishedAt: made.at }
    },

    async permalink({ account, reservation }, id) {
      const params = { fields: 'permalink' }
      const found = await call({
        method: 'GET',
        path: `/${id}`,
        token: account.accessToken,
        params,
        answer: Medium,
        reservation,
      })
      return found.permalink ?? null
    },

    async confirm(step) {
      const { madeAt = 0, madeThere } = Containers.parse(step.handles)
      const at = madeThere === undefined ? null : new Date(madeThere)
      const [live, ...others] = await remotePosts(step, {
        at,
        seen: graph.clock.now(),
        ours: new Date(madeAt),
        now: step.now,
      })
      if (live && others.length === 0) return live
      // The container proves that the post is live. If several posts match, nothing can decide which one it is, and
      // waiting would not help.
      const unnamed = { externalId: null, permalink: null, publishedAt: null }
      return live || step.now.getTime() - madeAt > GIVE_UP ? unnamed : 'accepted'
    },

    inbox: graphInbox(graph, {
      object: 'instagram',
      appId: settings.appId ?? '',
      appSecret: settings.appSecret ?? '',
      verifyToken: settings.verifyToken,
    }),

    comments: graphComments(graph, { fields: 'id,text,timestamp,from{id}', limit: '50' }),

    metrics: photoMetrics(graph, settings.version),
    discovery: photoDiscovery(graph),

    readCost: 3,

    /** The container shows whether it was published; the list of posts shows which post it became. */
    async find(step, since) {
      const { container } = Containers.parse(step.handles)
      const { code } = await statusOf(step, container ?? '')
      if (code === 'FINISHED' || code === 'ERROR' || code === 'EXPIRED') return []
      if (code !== 'PUBLISHED') {
        throw new NetworkError('ambiguous', 'The status of the container doesn’t show whether it was published.', {
          committed: 'maybe',
        })
      }
      const live = await remotePosts(step, since)
      return live.length === 1 ? live : 'accepted'
    },
  }
}

/**
 * NET_PAGE requests these permissions too, since both share one consent page. A missing permission that only a page
 * needs does no harm here.
 */
const defaultScopes = [
  { scope: 'pages_show_list', neededFor: 'connect' },
  { scope: 'pages_read_engagement', neededFor: 'publish' },
  { scope: 'instagram_basic', neededFor: 'connect' },
  { scope: 'instagram_content_publish', neededFor: 'publish' },
  { scope: 'instagram_manage_comments', neededFor: 'comments' },
  { scope: 'instagram_manage_messages', neededFor: 'messages' },
  { scope: 'instagram_manage_insights', neededFor: 'analytics' },
  { scope: 'pages_manage_metadata', neededFor: 'webhooks' },
  { scope: 'pages_manage_posts', neededFor: 'publish NET_PAGE' },
  { scope: 'pages_manage_engagement', neededFor: 'comments NET_PAGE' },
  { scope: 'pages_read_user_content', neededFor: 'comments NET_PAGE' },
  { scope: 'pages_messaging', neededFor: 'messages NET_PAGE' },
  { scope: 'read_insights', neededFor: 'analytics NET_PAGE' },
] as const

const isStory = ({ options }: Step) => options.kind === 'story'

const altOf = ({ altText }: StepMedia) => altText !== '' && { alt_text: altText }

/** The network accepts this mark only for pictures. */
const markOf = ({ aiGenerated }: StepMedia) => aiGenerated && { is_ai_generated: true }

/** Returns the network's name for the kind of a post; undefined if the step no longer has its media. */
function typeOf({ media: [first, ...others] }: Step): string | undefined {
  return others.length > 0 ? 'CAROUSEL_ALBUM' : first?.kind
}

/** Returns the error in the status of a failed container. Its text has the subcode, or only words. */
function refusalOf(text: string): NetworkError {
  const code = /\b(2207\d{3})\b/.exec(text)?.[1]
  const row = code ? rowOf('container', code) : rowOf('container', /download/i.test(text) ? '2207052' : 'ERROR')
  return refusal(
    code && row.failure === 'ambiguous' ? { ...rowOf('container', 'ERROR'), code } : row,
    text.replace(/^Error: /, ''),
  )
}
