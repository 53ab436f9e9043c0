import type { Facts, NetworkRules } from '../facts.ts'

const MB = 1_000_000

const video = {
  mimeTypes: ['video/mp4', 'video/quicktime'],
  codecs: ['avc', 'hevc', 'vp9', 'av1'],
  maxBytes: 4_000 * MB,
  max: 1,
  seconds: { min: 1, max: 14_400 },
  framesPerSecond: null,
  width: null,
  height: null,
  side: null,
  aspect: null,
}

const post: Facts = {
  textLimit: 63_206,
  countedIn: 'utf16',
  hashtagLimit: null,
  mentionLimit: null,
  textOnly: true,
  mixed: false,
  images: {
    mimeTypes: ['image/jpeg', 'image/png', 'image/gif'],
    maxBytes: 10 * MB,
    max: 10,
    aspect: null,
    width: null,
  },
  video,
  callsPerHour: 200,
  postsPerDay: null,
}

const reel: Facts = {
  ...post,
  textOnly: false,
  images: null,
  video: {
    ...video,
    seconds: { min: 3, max: 90 },
    framesPerSecond: { min: 24, max: 60 },
    width: { min: 540, max: 2_304 },
    height: { min: 960, max: 4_096 },
    // 9:16, with a tolerance for rounding to whole pixels.
    aspect: { min: 0.555, max: 0.57 },
  },
  postsPerDay: 30,
}

export const page = {
  called: ['Facebook', 'Facebook Page'],
  knownAs: 'Facebook page',
  linkName: 'facebook',
  post,
  kinds: { reel },
  ofPictures: null,
  renditions: { NET_PAGE: { facts: post, fillsPhone: false } },
  drawnRatio: '1:1',
  commentLimit: 8_000,
  fileHosts: ['fbcdn.net', 'fbsbx.com'],
  answers: {
    comment: { most: 8000, in: 'characters', pictures: true },
    message: { most: 2000, in: 'characters', pictures: true },
  },
  showsOthers: false,
  removesPosts: true,
  covers: false,
  reelsInFeed: false,
  marksAi: [],
  refusesSameText: true,
  knowsPicturesByText: false,
  knowsAuthorsByUsername: false,
  asksOwner: false,
  chosenPerPost: [],
  figures: {
    insights: {
      post: { reach: 'post_total_media_view_unique', impressions: 'post_media_view', videoViews: 'post_video_views' },
      reel: {
        reach: 'post_impressions_unique',
        impressions: 'blue_reels_play_count',
        videoViews: 'blue_reels_play_count',
      },
    },
    counts: { likes: 'reactions', comments: 'comments', shares: 'shares' },
    account: {
      impressions: 'page_media_view',
      engagement: 'page_post_engagements',
      reach: 'page_total_media_view_unique',
      followers: 'page_follows',
    },
    hasDays: true,
    delayHours: { posts: 48, account: 48 },
  },
} as const satisfies NetworkRules

/** The refusals of the network, by the place where they are read. */
export const pageFailures = {
  page_video: {
    title: 'NET_PAGE: `video_status` of a video or reel',
    rows: [
      ['error', 'video_format', 'spoilt'],
      ['upload_failed', 'video_format', 'spoilt'],
      ['expired', 'transient', 'no', 'spoilt'],
    ],
  },
} as const
