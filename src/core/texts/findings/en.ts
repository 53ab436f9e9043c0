import type { CodeOf } from '../fill.ts'

/**
 * The findings of a post: what is wrong, and the next step. A key with a slash is a variant of its code; only English has a text
 * of its own for it. `limit`, `value` and `account` of a finding fill its text; the server fills the English texts with more.
 */
export const en = {
  no_target: { message: 'No account is chosen.', fix: 'Choose where to post.' },
  approval_outstanding: { message: 'It needs an approval, and has none.', fix: 'Have it approved before its time.' },
  time_passed: { message: 'Approved, but its time has passed.', fix: 'Choose a new time.' },
  network_quota: {
    message: 'It is post number {value} to {account} within 24 hours; the network accepts about {limit}.',
    fix: 'Choose another day, or it waits until the network accepts it.',
  },
  token_ends: {
    message: 'The connection of {account} ends before its time.',
    fix: 'Connect the account again before then.',
  },
  same_text: {
    message: 'Another post to {account} within {days} days has the same text.',
    fix: 'Look at the other post, then change the text or leave it.',
  },
  same_text_refused: {
    message: 'Another post to {account} within {days} days has the same text: the network refuses it as a duplicate.',
    fix: 'Change the text, or this post will most likely fail.',
  },
  reconnect_needed: {
    message: '{account} must be connected again.',
    fix: 'Reconnect the account; the post waits for it.',
  },
  account_paused: { message: '{account} is paused.', fix: 'Resume the account.' },
  scope_missing: {
    message: '{account} cannot publish: a permission is missing.',
    fix: 'Reconnect the account and grant every permission.',
  },
  text_too_long: {
    message: 'The text has {value} characters; at most {limit} are possible.',
    fix: 'Shorten it by {excess}.',
  },
  too_many_hashtags: {
    message: 'There are {value} hashtags; at most {limit} are possible.',
    fix: 'Remove some hashtags.',
  },
  too_many_mentions: {
    message: 'There are {value} mentions; at most {limit} are possible.',
    fix: 'Remove some mentions.',
  },
  empty: { message: 'There is nothing to post yet.', fix: 'Write a text or add a picture.' },
  media_required: { message: 'This network does not accept a post without media.', fix: 'Add a picture or a video.' },
  text_not_shown: {
    message: 'A story shows no text: people will see only the picture or the video.',
    fix: 'Write the text into the picture, or leave it as it is.',
  },
  too_many_images: {
    message: 'There are {value} pictures; at most {limit} are possible.',
    fix: 'Remove some pictures, for this network or for all.',
  },
  too_many_videos: {
    message: 'There are {value} videos; at most {limit} are possible.',
    fix: 'Remove some videos, for this network or for all.',
  },
  too_many_media: {
    message: 'There are {value} pictures and videos; at most {limit} are possible together.',
    fix: 'Remove some, for this network or for all.',
  },
  mixed_media: {
    message: 'This network accepts pictures or a video, not both together.',
    fix: 'Remove the pictures or the video for this network.',
  },
  ai_not_marked: {
    message: '{value} was made by AI, and this network has no label for that.',
    fix: 'Mention it in the text.',
  },
  media_not_public: {
    message: 'The network cannot fetch media from this server.',
    fix: 'The operator must set PUBLIC_URL to a public https address.',
  },
  crop_beyond: { message: 'The crop of {value} lies outside it.', fix: 'Crop it again.' },
  cover_beyond: {
    message: 'The cover is taken from second {value}, but the video lasts {limit} seconds.',
    fix: 'Choose another cover.',
  },
  comment_not_possible: { message: 'A story does not accept a comment.', fix: 'Remove the first comment.' },
  comment_too_long: {
    message: 'The first comment has {value} characters; at most {limit} are possible.',
    fix: 'Shorten it.',
  },
  comment_scope_missing: {
    message: '{account} cannot comment: a permission is missing.',
    fix: 'Reconnect the account and grant every permission; the post goes out anyway.',
  },
  media_processing: { message: '{value} is still being processed.', fix: 'It will be ready in a moment.' },
  media_rejected: { message: '{value} cannot be used. {reason}', fix: 'Replace the file.' },
  kind_not_accepted: { message: 'This network does not accept {value}.', fix: 'Remove it for this network.' },
  format_not_accepted: {
    message: '{value} is {type}, which this network does not accept.',
    fix: 'Use {types}.',
  },
  file_too_large: { message: '{file} has {size} MB; at most {most} are possible.', fix: 'Use a smaller file.' },
  aspect_not_accepted: { message: '{file} is too wide for this network.', fix: 'Crop it.' },
  'aspect_not_accepted/tall': { message: '{file} is too tall for this network.', fix: 'Crop it.' },
  size_not_accepted: {
    message: '{file} is {value} pixels wide; {min} to {max} are possible.',
    fix: 'Use another size.',
  },
  'size_not_accepted/height': {
    message: '{file} is {value} pixels high; {min} to {max} are possible.',
    fix: 'Export it in another size.',
  },
  'size_not_accepted/side': {
    message: 'A side of {file} has {value} pixels; {min} to {max} are possible.',
    fix: 'Export it in another size.',
  },
  codec_not_accepted: {
    message: '{file} is encoded as {value}, which this network does not accept.',
    fix: 'Export it as {codecs}.',
  },
  duration_not_accepted: { message: '{file} lasts {value} seconds; {min} to {max} are possible.', fix: 'Shorten it.' },
  'duration_not_accepted/short': {
    message: '{file} lasts {value} seconds; {min} to {max} are possible.',
    fix: 'Use a longer one.',
  },
  frame_rate_not_accepted: {
    message: '{file} has {value} frames a second; {min} to {max} are possible.',
    fix: 'Export it with another frame rate.',
  },
  privacy_required: { message: 'No audience is chosen.', fix: 'Choose who can view this post.' },
  privacy_not_accepted: {
    message: 'Paid advertising cannot be visible only to you.',
    fix: 'Choose another audience, or turn the paid advertising off.',
  },
  consent_required: { message: 'The music terms are not accepted.', fix: 'Accept them.' },
}

/** A finding in code, with its variants. */
export type FindingKey = keyof typeof en
/** The code of a finding in the API. */
export type FindingCode = CodeOf<FindingKey>
