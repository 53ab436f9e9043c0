import type { FindingCode } from '../../core/texts/findings/en.ts'
import type { Facts, NetworkRules } from '../facts.ts'
import type { VideoOptions } from './api.ts'

const MB = 1_000_000

const post: Facts = {
  textLimit: 2_200,
  countedIn: 'utf16',
  hashtagLimit: null,
  mentionLimit: null,
  textOnly: false,
  mixed: false,
  images: null,
  video: {
    mimeTypes: ['video/mp4', 'video/quicktime'],
    codecs: ['avc', 'hevc', 'vp8', 'vp9'],
    maxBytes: 4_000 * MB,
    max: 1,
    seconds: { min: 3, max: 600 },
    framesPerSecond: { min: 23, max: 60 },
    width: null,
    height: null,
    side: { min: 360, max: 4_096 },
    aspect: null,
  },
  callsPerHour: null,
  postsPerDay: 15,
}

const pictures: Facts = {
  ...post,
  textLimit: 4_000,
  images: {
    mimeTypes: ['image/jpeg', 'image/webp'],
    maxBytes: 20 * MB,
    max: 35,
    aspect: { min: 0.5625, max: 10 },
    width: { min: 100, max: 1_080 },
  },
  video: null,
}

/** The author must choose the audience, declare advertising and agree to the terms. */
function checkOptions({ privacyLevel, brandContent, consent }: VideoOptions) {
  const found: { option: keyof VideoOptions; code: FindingCode }[] = []
  if (!privacyLevel) found.push({ option: 'privacyLevel', code: 'privacy_required' })
  else if (brandContent && privacyLevel === 'SELF_ONLY') {
    found.push({ option: 'privacyLevel', code: 'privacy_not_accepted' })
  }
  if (!consent) found.push({ option: 'consent', code: 'consent_required' })
  return found
}

export const video = {
  called: ['TikTok'],
  knownAs: 'TikTok',
  linkName: null,
  post,
  kinds: { pictures },
  ofPictures: 'pictures',
  renditions: { NET_VIDEO: { facts: pictures, fillsPhone: true } },
  drawnRatio: '1:1',
  commentLimit: null,
  fileHosts: [],
  answers: null,
  showsOthers: false,
  removesPosts: false,
  covers: true,
  reelsInFeed: false,
  marksAi: ['IMAGE', 'VIDEO'],
  refusesSameText: false,
  knowsPicturesByText: true,
  knowsAuthorsByUsername: false,
  asksOwner: true,
  chosenPerPost: ['privacyLevel', 'consent'],
  figures: {
    insights: {},
    counts: { likes: 'like_count', comments: 'comment_count', shares: 'share_count', videoViews: 'view_count' },
    account: {
      impressions: 'view_count',
      engagement: 'like_count, comment_count, share_count',
      followers: 'follower_count',
    },
    hasDays: false,
    delayHours: { posts: 1, account: 24 },
  },
  checkOptions,
} as const satisfies NetworkRules

/** The refusals of the network, by the place where they are read. */
export const videoFailures = {
  video: {
    title: 'NET_VIDEO: `error.code`',
    family: [/^spam_risk/, 'spam_risk'],
    rows: [
      ['access_token_invalid', 'auth'],
      ['scope_not_authorized', 'permission'],
      ['scope_permission_missed', 'permission'],
      ['invalid_param', 'content'],
      ['invalid_params', 'content'],
      ['invalid_file_upload', 'video_format'],
      ['app_version_check_failed', 'content'],
      ['invalid_publish_id', 'not_found', 'spoilt'],
      ['token_not_authorized_for_specified_publish_id', 'not_found'],
      ['publish_not_cancellable', 'not_found'],
      ['spam_risk_too_many_posts', 'quota'],
      ['spam_risk_too_many_pending_share', 'too_many_pending'],
      ['spam_risk_user_banned_from_posting', 'account_restricted'],
      ['spam_risk', 'policy'],
      ['spam_risk_text', 'community_rules'],
      ['reached_active_user_cap', 'user_cap'],
      ['unaudited_client_can_only_post_to_private_accounts', 'not_audited'],
      ['url_ownership_unverified', 'address_not_verified'],
      ['privacy_level_option_mismatch', 'audience_refused'],
      ['duration_check_failed', 'video_length'],
      ['rate_limit_exceeded', 'rate_limit'],
      ['internal_error', 'transient'],
    ],
  },
  video_post: {
    title: 'NET_VIDEO: `fail_reason` of an accepted post',
    family: [/^spam_risk/, 'spam_risk'],
    rows: [
      // Reasons why an accepted post failed. Nothing is live, and another try starts from the beginning.
      ['file_format_check_failed', 'video_format', 'spoilt'],
      ['duration_check_failed', 'video_length', 'spoilt'],
      ['frame_rate_check_failed', 'video_frame_rate', 'spoilt'],
      ['picture_size_check_failed', 'picture_size', 'spoilt'],
      ['video_bitrate_check_failed', 'video_bit_rate', 'spoilt'],
      ['spam_risk', 'policy', 'spoilt'],
      ['spam_risk_text', 'community_rules', 'spoilt'],
      ['spam_risk_too_many_posts', 'quota', 'spoilt'],
      ['spam_risk_user_banned_from_posting', 'account_restricted', 'spoilt'],
      ['auth_removed', 'access_removed', 'spoilt'],
      ['publish_cancelled', 'cancelled_there', 'spoilt'],
      ['internal', 'transient', 'no', 'spoilt'],
      ['video_pull_failed', 'media_fetch', 'spoilt'],
      ['photo_pull_failed', 'media_fetch', 'spoilt'],
    ],
  },
  video_upload: {
    title: 'NET_VIDEO: status with which the upload host refuses a chunk',
    rows: [
      // If the host refuses a piece, the upload starts again. For the last piece, an address that has ended may belong
      // to a completed upload.
      ['400', 'transient', 'no', 'spoilt'],
      ['403', 'transient', 'spoilt'],
      ['404', 'transient', 'spoilt'],
      ['410', 'transient', 'spoilt'],
      ['416', 'ambiguous', 'spoilt'],
    ],
  },
  video_tokens: {
    title: 'NET_VIDEO: `error` of the token endpoint',
    rows: [
      ['invalid_grant', 'auth'],
      ['access_denied', 'auth'],
      ['invalid_request', 'config'],
      ['invalid_client', 'config'],
      ['invalid_scope', 'config'],
      ['unauthorized_client', 'config'],
      ['unsupported_grant_type', 'config'],
      ['server_error', 'transient', 'no'],
      ['temporarily_unavailable', 'transient', 'no'],
    ],
  },
} as const
