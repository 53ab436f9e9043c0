import type { Facts, NetworkRules } from '../facts.ts'

const MB = 1_000_000

const video = {
  mimeTypes: ['video/mp4', 'video/quicktime'],
  codecs: ['avc', 'hevc'],
  maxBytes: 300 * MB,
  max: 10,
  seconds: { min: 3, max: 900 },
  framesPerSecond: { min: 23, max: 60 },
  width: { min: 1, max: 1_920 },
  height: null,
  side: null,
  aspect: { min: 0.01, max: 10 },
}

const post: Facts = {
  textLimit: 2_200,
  countedIn: 'codepoints',
  hashtagLimit: 30,
  mentionLimit: 20,
  textOnly: false,
  mixed: true,
  images: {
    mimeTypes: ['image/jpeg'],
    maxBytes: 8 * MB,
    max: 10,
    aspect: { min: 0.8, max: 1.91 },
    width: { min: 320, max: 1_440 },
  },
  video,
  callsPerHour: 200,
  postsPerDay: 50,
}

const reel: Facts = { ...post, mixed: false, images: null, video: { ...video, max: 1 } }

const story: Facts = {
  ...post,
  textLimit: 0,
  mixed: false,
  images: { mimeTypes: ['image/jpeg'], maxBytes: 8 * MB, max: 1, aspect: null, width: { min: 320, max: 1_440 } },
  video: { ...video, maxBytes: 100 * MB, max: 1, seconds: { min: 3, max: 60 } },
}

export const photo = {
  called: ['Instagram'],
  knownAs: 'Instagram',
  linkName: null,
  post,
  kinds: { reel, story },
  ofPictures: null,
  renditions: {
    NET_PHOTO: { facts: post, fillsPhone: false },
    NET_PHOTO_STORY: { facts: story, kind: 'story', fillsPhone: true, sameAs: 'NET_PHOTO' },
  },
  drawnRatio: '4:5',
  commentLimit: 2_200,
  fileHosts: ['cdninstagram.com', 'fbcdn.net', 'fbsbx.com'],
  answers: {
    comment: { most: 2200, in: 'characters', pictures: false },
    message: { most: 1000, in: 'bytes', pictures: true },
  },
  showsOthers: true,
  removesPosts: false,
  covers: true,
  reelsInFeed: true,
  marksAi: ['IMAGE'],
  refusesSameText: false,
  knowsPicturesByText: false,
  knowsAuthorsByUsername: true,
  asksOwner: false,
  chosenPerPost: [],
  figures: {
    insights: {
      post: { reach: 'reach', impressions: 'views', shares: 'shares', saves: 'saved' },
      reel: { reach: 'reach', impressions: 'views', shares: 'shares', saves: 'saved', videoViews: 'views' },
      story: { reach: 'reach', impressions: 'views', shares: 'shares' },
    },
    counts: { likes: 'like_count', comments: 'comments_count' },
    account: { impressions: 'views', engagement: 'total_interactions', reach: 'reach', followers: 'followers_count' },
    hasDays: true,
    delayHours: { posts: 48, account: 48 },
  },
} as const satisfies NetworkRules

/** The refusals of the network, by the place where they are read. */
export const photoFailures = {
  container: {
    title: 'NET_PHOTO: status of a failed container',
    rows: [
      // For a failed container the network reports only the subcode. The container is no longer usable.
      ['2207001', 'media_fetch', 'spoilt'],
      ['2207003', 'media_fetch', 'spoilt'],
      ['2207032', 'media_fetch', 'spoilt'],
      ['2207052', 'media_fetch', 'spoilt'],
      ['2207053', 'media_fetch', 'spoilt'],
      ['2207077', 'media_fetch', 'spoilt'],
      ['2207082', 'transient', 'no', 'spoilt'],
      ['2207004', 'file_too_big', 'spoilt'],
      ['2207005', 'file_format', 'spoilt'],
      ['2207009', 'picture_shape', 'spoilt'],
      ['2207010', 'text_too_long', 'spoilt'],
      ['2207026', 'video_format', 'spoilt'],
      ['EXPIRED', 'transient', 'no', 'spoilt'],
      ['IN_PROGRESS', 'transient', 'no', 'spoilt'],
      ['ERROR', 'content', 'spoilt'],
    ],
  },
} as const
