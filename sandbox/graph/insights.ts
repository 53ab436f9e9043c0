import { DAY } from '../days.ts'
import { type Figures, figuresOf, type Measured } from '../metrics.ts'
import { findPage, findPhotoAccount } from '../people.ts'
import type { State, StoredPost } from '../state.ts'
import type { GraphRequest, View } from './call.ts'
import { GraphError, refuse } from './errors.ts'
import { text } from './params.ts'
import type { PhotoPost } from './photo-state.ts'
import { hasScope } from './tokens.ts'

/** The figures of posts, as fields of a node and as an edge. */

/** A page with fewer followers gets no figures. */
export const FEWEST_FOLLOWERS = 100
/** A story with fewer viewers gets no figures. */
export const FEWEST_VIEWERS = 5

type Names = Record<string, keyof Figures>
const NAMES: Record<'page' | 'reel' | 'photo' | 'story', Names> = {
  page: {
    post_total_media_view_unique: 'reach',
    post_media_view: 'impressions',
    post_video_views: 'videoViews',
  },
  reel: { post_impressions_unique: 'reach', blue_reels_play_count: 'impressions' },
  photo: {
    reach: 'reach',
    views: 'impressions',
    saved: 'saves',
    likes: 'likes',
    comments: 'comments',
    shares: 'shares',
  },
  story: { reach: 'reach', views: 'impressions', shares: 'shares' },
}

type Subject = { id: string; measured: Measured; names: Names; scope: string; fewest: boolean }

const isReelOf = ({ video }: StoredPost) => video?.reel === true

export function ofPage(post: StoredPost): Subject {
  const followers = findPage(post.pageId)?.followers ?? 0
  return {
    id: post.id,
    measured: {
      id: post.id,
      accountId: post.pageId,
      channel: isReelOf(post) ? 'reel' : 'page',
      followers,
      at: post.at,
      text: post.message,
      hasVideo: post.video !== undefined,
    },
    names: isReelOf(post) ? NAMES.reel : NAMES.page,
    scope: 'read_insights',
    fewest: followers < FEWEST_FOLLOWERS,
  }
}

export function ofPhoto(post: PhotoPost, isReel: boolean): Subject {
  return {
    id: post.id,
    measured: {
      id: post.id,
      accountId: post.accountId,
      channel: isReel ? 'reel' : 'photo',
      followers: findPhotoAccount(post.accountId)?.followers ?? 0,
      at: post.at,
      text: post.caption,
      hasVideo: isReel,
      ...(post.story && { story: true }),
    },
    names: post.story ? NAMES.story : NAMES.photo,
    scope: 'instagram_manage_insights',
    fewest: false,
  }
}

/** Returns the number of comments below a post: real ones in the sandbox plus those of the model. */
export function commentsAt(
  { comments }: Pick<State, 'comments'>,
  { measured }: Pick<Subject, 'measured'>,
  at: number,
): number {
  const played = (comments.get(measured.id) ?? []).filter((comment) => comment.at <= at).length
  return (figuresOf(measured, at)?.comments ?? 0) + played
}

/** Returns a figure at a time by its name; undefined if the network does not report it. */
function told(state: State, { measured, names, fewest }: Subject, name: string, at: number): number | undefined {
  const field = names[name]
  const figures = figuresOf(measured, at)
  if (!field || !figures || fewest || (measured.story && at - measured.at >= DAY)) return undefined
  if (field === 'videoViews' && !measured.hasVideo) return undefined
  return field === 'comments' ? commentsAt(state, { measured }, at) : figures[field]
}

/** Returns the figures of a post that a network shows at a time, in all its places together. */
export function shownOf(state: State, subject: Subject, at: number): Figures {
  const { measured, names } = subject
  const { gone, older } = state.metricFaults
  const byName = (field: keyof Figures) => {
    const name = Object.keys(names).find((each) => names[each] === field)
    if (name === undefined || gone.includes(name) || older.includes(measured.id)) return null
    if (measured.story && (figuresOf(measured, at)?.reach ?? 0) < FEWEST_VIEWERS) return null
    return told(state, subject, name, at) ?? null
  }
  const figures = figuresOf(measured, at)
  const isPage = subject.scope === 'read_insights'
  return {
    reach: byName('reach'),
    impressions: byName('impressions'),
    likes: figures?.likes ?? 0,
    comments: commentsAt(state, subject, at),
    shares: isPage ? (figures?.shares ?? 0) : byName('shares'),
    saves: isPage ? null : byName('saves'),
    videoViews: measured.channel === 'reel' ? byName('impressions') : byName('videoViews'),
  }
}

/** Returns the names requested by `insights.metric(a,b)` within `fields`, or by the parameter of the edge. */
export const askedIn = (call: GraphRequest) =>
  (/insights\.metric\(([^()]*)\)/.exec(text(call.params, 'fields') ?? '')?.[1] ?? text(call.params, 'metric') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Returns the figures by name. A single unsupported name makes the network refuse all of them. */
export function insights(subject: Subject, { call }: Pick<View, 'call'>): { data: object[] } {
  const { state, clock } = call.store
  if (!hasScope(state, call.caller(), subject.scope)) throw refuse.readPermission(subject.scope)
  const asked = askedIn(call)
  if (asked.length === 0) throw new GraphError({ message: '(#3001) No metric was given', code: 3001, subcode: 1504028 })
  const { gone, older } = state.metricFaults
  const all = Object.assign({}, ...Object.values(NAMES)) as Names
  if (asked.some((name) => gone.includes(name) || !(name in all))) {
    throw refuse.parameter('The value must be a valid insights metric')
  }
  if (older.includes(subject.id)) {
    throw new GraphError({
      message: '(#100) Media posted before business account conversion',
      code: 100,
      subcode: 2108006,
    })
  }
  const now = clock.now()
  if (subject.measured.story && (figuresOf(subject.measured, now)?.reach ?? 0) < FEWEST_VIEWERS) {
    throw new GraphError({ message: '(#10) Not enough viewers for the media to show insights', code: 10 })
  }
  return {
    data: asked.flatMap((name) => {
      const value = told(state, subject, name, now)
      if (value === undefined) return []
      return [
        { name, period: 'lifetime', values: [{ value }], title: name, id: `${subject.id}/insights/${name}/lifetime` },
      ]
    }),
  }
}
