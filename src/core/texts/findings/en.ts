import type { CodeOf } from '../fill.ts'

/**
 * The findings of a post: what is wrong, and the next step. A key with a slash is a variant of its code; only English has a text
 * of its own for it. `limit`, `value`, `account` and `network` fill its text; the server fills the English texts with more.
 */
export const en = {
  no_target: { message: 'No account selected.', fix: 'Choose where to post.' },
  approval_outstanding: { message: 'Not approved yet.', fix: 'Get approval before the scheduled time.' },
  time_passed: { message: 'Approved, but its scheduled time has passed.', fix: 'Choose a new time.' },
  network_quota: {
    message: 'Too many posts to {account} within 24 hours. {network} allows about {limit}.',
    fix: 'Choose another day. Otherwise, the post will wait until {network} allows it.',
  },
  token_ends: {
    message: 'Access to {account} expires before the scheduled time.',
    fix: 'Reconnect the account before then.',
  },
  same_text: {
    message: 'Another post to {account} within {days} days has the same text.',
    fix: 'Check the other post, then change this text or keep it.',
  },
  same_text_refused: {
    message: 'Another post to {account} within {days} days has the same text. {network} rejects duplicates.',
    fix: 'Change the text. Otherwise, this post will probably fail.',
  },
  reconnect_needed: {
    message: 'Reconnect {account}.',
    fix: 'Parley no longer has access, so posts are on hold.',
  },
  account_paused: { message: '{account} is paused.', fix: 'Resume the account.' },
  scope_missing: {
    message: '{account} can’t publish because a permission is missing.',
    fix: 'Reconnect the account and grant all permissions.',
  },
  text_too_long: {
    message: 'The text is too long for {network} (limit: {limit} characters).',
    fix: 'Shorten it. It’s over the limit by {excess}.',
  },
  too_many_hashtags: {
    message: 'Too many hashtags for {network} (limit: {limit}).',
    fix: 'Remove some hashtags.',
  },
  too_many_mentions: {
    message: 'Too many mentions for {network} (limit: {limit}).',
    fix: 'Remove some mentions.',
  },
  empty: { message: 'The post is empty.', fix: 'Write some text or add a picture or video.' },
  media_required: { message: '{network} posts need a picture or video.', fix: 'Add a picture or video.' },
  text_not_shown: {
    message: 'Stories don’t show text. People will only see the picture or video.',
    fix: 'Put the text in the picture or video, or leave the post as it is.',
  },
  too_many_images: {
    message: 'Too many pictures for {network} (limit: {limit}).',
    fix: 'Remove some pictures, for this network or for all networks.',
  },
  too_many_videos: {
    message: 'Too many videos for {network} (limit: {limit}).',
    fix: 'Remove some videos, for this network or for all networks.',
  },
  too_many_media: {
    message: 'Too many pictures and videos for {network} (limit: {limit}).',
    fix: 'Remove some, for this network or for all networks.',
  },
  mixed_media: {
    message: '{network} doesn’t allow pictures and a video in one post.',
    fix: 'Remove the pictures or the video for this network.',
  },
  ai_not_marked: {
    message: '{value} was made with AI, but {network} has no label for that.',
    fix: 'Say so in the text.',
  },
  animation_lost: {
    message: '{network} shows GIFs as still pictures. If {value} is animated, it won’t move.',
    fix: 'Upload it as a video if it should move.',
  },
  media_not_public: {
    message: 'Networks can’t download files from this server.',
    fix: 'Ask your Parley administrator to set PUBLIC_URL to a public HTTPS address.',
  },
  crop_beyond: { message: 'The crop for {value} extends past the edge of the picture.', fix: 'Crop it again.' },
  cover_beyond: {
    message: 'The cover is set to {value} seconds, but the video is only {limit} seconds long.',
    fix: 'Choose another cover.',
  },
  comment_not_possible: { message: 'Stories can’t have a first comment.', fix: 'Remove the first comment.' },
  comment_too_long: {
    message: 'The first comment is too long for {network} (limit: {limit} characters).',
    fix: 'Shorten it.',
  },
  comment_scope_missing: {
    message: '{account} can’t comment because a permission is missing.',
    fix: 'Reconnect the account and grant all permissions. Otherwise, the post will be published without the comment.',
  },
  media_processing: { message: '{value} is still processing.', fix: 'It will be ready in a moment.' },
  media_rejected: { message: '{value} can’t be used. {reason}', fix: 'Replace the file.' },
  kind_not_accepted: { message: '{network} doesn’t accept {value}.', fix: 'Remove it for this network.' },
  format_not_accepted: {
    message: '{network} doesn’t accept the file type of {value} ({type}).',
    fix: 'Use {types}.',
  },
  file_too_large: { message: '{file} is too large for {network} (limit: {most} MB).', fix: 'Use a smaller file.' },
  aspect_not_accepted: { message: '{file} is too wide for {network}.', fix: 'Crop it.' },
  'aspect_not_accepted/tall': { message: '{file} is too tall for {network}.', fix: 'Crop it.' },
  size_not_accepted: {
    message: '{file} is {value} pixels wide. {network} accepts {min} to {max}.',
    fix: 'Resize it, then upload it again.',
  },
  'size_not_accepted/height': {
    message: '{file} is {value} pixels tall. {network} accepts {min} to {max}.',
    fix: 'Resize it, then upload it again.',
  },
  'size_not_accepted/side': {
    message: '{file} is {value} pixels on one side. {network} accepts {min} to {max}.',
    fix: 'Resize it, then upload it again.',
  },
  codec_not_accepted: {
    message: '{network} doesn’t accept the encoding of {file} ({value}).',
    fix: 'Export it as {codecs}.',
  },
  duration_not_accepted: {
    message: '{file} is too long for {network} (limit: {max} s).',
    fix: 'Trim it to {max} seconds or less.',
  },
  'duration_not_accepted/short': {
    message: '{file} is too short for {network} (minimum: {min} s).',
    fix: 'Use a longer video.',
  },
  frame_rate_not_accepted: {
    message: '{file} runs at {value} frames per second. {network} accepts {min} to {max}.',
    fix: 'Export it at a different frame rate.',
  },
  privacy_required: { message: 'Choose who can see this video.', fix: '{network} requires this for every post.' },
  'privacy_required/pictures': {
    message: 'Choose who can see this post.',
    fix: '{network} requires this for every post.',
  },
  privacy_not_accepted: {
    message: 'A paid partnership can’t be visible only to you.',
    fix: 'Choose another audience, or turn off paid partnership.',
  },
  consent_required: { message: 'Accept {network}’s music terms.', fix: '{network} requires this before publishing.' },
}

/** A finding in code, with its variants. */
export type FindingKey = keyof typeof en
/** The code of a finding in the API. */
export type FindingCode = CodeOf<FindingKey>
