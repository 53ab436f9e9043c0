import type { CodeOf } from '../fill.ts'

/** Why a network refused a post. `message` says what happened if the network's own message says too little; `fix` is the next step. */
export const refusals = {
  auth: { message: 'Parley no longer has access to this account.', fix: 'Reconnect the account.' },
  access_removed: {
    message: 'Parley’s access was removed on the network.',
    fix: 'Reconnect the account.',
  },
  password_changed: {
    message: 'The person who connected the account changed their password on the network.',
    fix: 'Reconnect the account.',
  },
  sign_in_check: {
    message: 'The network requires the person who connected the account to sign in there first.',
    fix: 'Sign in on the network, follow its instructions, then reconnect the account.',
  },
  role_lost: {
    message: 'The person who connected the account no longer has a role on the page.',
    fix: 'Ask for a role on the page, or have someone with a role reconnect the account.',
  },
  permission: {
    message: 'A permission or role is missing on the network.',
    fix: 'Reconnect the account and grant all permissions.',
  },
  page_authorization: {
    message: 'The network requires this page to be authorized first.',
    fix: 'Complete the page authorization on the network, then retry.',
  },
  identity_check: {
    message: 'The network requires you to confirm your identity first.',
    fix: 'Confirm your identity on the network, then retry.',
  },
  rate_limit: {
    message: 'The network is receiving too many requests right now.',
    fix: 'Wait a while, then retry.',
  },
  quota: {
    message: 'The account has reached the network’s daily post limit.',
    fix: 'Wait until the network allows more posts, then retry.',
  },
  too_many_pending: {
    message: 'The network is still processing too many earlier posts from this account.',
    fix: 'Wait until they’re processed, then retry.',
  },
  user_cap: {
    message: 'The Parley app has reached the network’s daily user limit.',
    fix: 'Contact your Parley administrator.',
  },
  transient: { message: 'The network had a temporary problem.', fix: 'Retry later.' },
  ambiguous: { message: 'The network gave an unexpected response.', fix: 'Retry later.' },
  media_fetch: {
    message: 'The network couldn’t download the file.',
    fix: 'Retry. If it still fails, contact your Parley administrator.',
  },
  content: {
    message: 'The network rejected something in this post.',
    fix: 'Change what the network rejected, then retry.',
  },
  file_too_big: { message: 'The file is too large for this network.', fix: 'Use a smaller file.' },
  file_format: {
    message: 'The network doesn’t accept this picture format.',
    fix: 'Save the picture as a JPEG and choose it again.',
  },
  picture_shape: {
    message: 'The picture is too tall or too wide for this network.',
    fix: 'Crop the picture to an aspect ratio between 4:5 and 1.91:1.',
  },
  picture_size: {
    message: 'The network doesn’t accept the dimensions of this picture or video.',
    fix: 'Use a picture or video with different dimensions.',
  },
  video_format: {
    message: 'The network doesn’t accept this video format.',
    fix: 'Export the video as an MP4 with H.264 and AAC, then choose it again.',
  },
  video_length: {
    message: 'The video is too long or too short for this network.',
    fix: 'Trim the video or choose another one, then retry.',
  },
  video_over_limit: {
    message: 'This account can only post videos up to {limit} seconds long.',
    fix: 'Trim the video or choose another one, then retry.',
  },
  video_frame_rate: {
    message: 'The network doesn’t accept the frame rate of this video.',
    fix: 'Export the video at 23 to 60 frames per second.',
  },
  video_bit_rate: {
    message: 'The network doesn’t accept the bit rate of this video.',
    fix: 'Export the video at a lower bit rate.',
  },
  text_too_long: { message: 'The text is too long for this network.', fix: 'Shorten the text.' },
  too_many_tags: {
    message: 'The text mentions too many people for this network.',
    fix: 'Mention fewer people in the text.',
  },
  carousel_count: { message: 'The network accepts 2 to 10 files per carousel.', fix: 'Choose 2 to 10 files.' },
  link_refused: { message: 'The network rejected the link.', fix: 'Change or remove the link.' },
  nothing_to_show: { message: 'The post is empty.', fix: 'Write some text or add a file.' },
  audience_refused: {
    message: 'This audience is no longer available for this account.',
    fix: 'Choose another audience.',
  },
  cancelled_there: {
    message: 'Publishing was canceled on the network.',
    fix: 'Retry if the post should still go out.',
  },
  person_unreachable: {
    message: 'This person can’t receive messages.',
    fix: 'There’s nothing you can do about this in Parley.',
  },
  policy: {
    message: 'The network blocked this because of its rules.',
    fix: 'Check the network’s app for details before you retry.',
  },
  action_blocked: {
    message: 'The network is temporarily limiting what this account can do.',
    fix: 'Post less for a few hours, and check the account on the network before you retry.',
  },
  account_restricted: {
    message: 'The network restricted this account.',
    fix: 'Resolve the restriction on the network, then retry.',
  },
  community_rules: {
    message: 'The network says this post breaks its rules.',
    fix: 'Change what breaks the network’s rules, then retry.',
  },
  same_text: {
    message: 'The page just published the same text.',
    fix: 'Change the text before you retry.',
  },
  not_found: {
    message: 'The network can’t find this account anymore.',
    fix: 'Reconnect the account.',
  },
  window_closed: {
    message: 'The window for replying to this person has closed.',
    fix: 'You can reply again once they write to you.',
  },
  config: { message: 'The network isn’t set up correctly in Parley.', fix: 'Contact your Parley administrator.' },
  not_audited: {
    message: 'The network hasn’t approved the Parley app yet, so it accepts posts from private accounts only.',
    fix: 'Choose the audience “Only me” and make the account private, or ask your Parley administrator to complete the network’s review.',
  },
  address_not_verified: {
    message: 'The network hasn’t verified the web address of your files.',
    fix: 'Ask your Parley administrator to verify it with the network.',
  },
}

/** What Parley itself found out about a delivery. A key with a slash is a variant of its code. */
export const endings = {
  missed: {
    message:
      'The post missed its scheduled time by more than a day because publishing was paused or Parley was offline.',
    fix: 'To publish it now, retry.',
  },
  reconnect_needed: {
    message: 'The account wasn’t reconnected within a day.',
    fix: 'Reconnect the account, then retry.',
  },
  account_paused: { message: 'The account stayed paused for a day.', fix: 'Resume the account, then retry.' },
  too_late: {
    message: 'This wasn’t sent because it had been waiting for more than a day.',
    fix: 'To send it now, retry.',
  },
  account_disconnected: {
    message: 'The account was disconnected before the post was published.',
    fix: 'Reconnect the account, then retry.',
  },
  removal_disconnected: {
    message: 'The account was disconnected before the post was deleted from the network.',
    fix: 'Delete the post on the network, or reconnect the account and retry.',
  },
  no_target: { message: 'No account selected.', fix: 'Choose where to post, then publish.' },
  not_live: { message: 'A team member checked, and the post isn’t on the network.', fix: 'To publish it, retry.' },
  stopped: { message: 'A team member stopped the post before it was published.', fix: 'To publish it, retry.' },
  superseded: {
    message: 'The post was already live when it was edited.',
    fix: 'Duplicate the post to publish the new version.',
  },
  'superseded/answer': {
    message: 'The conversation changed before this was sent.',
    fix: 'Check the conversation, then reply if an answer is still needed.',
  },
  duplicate: { message: 'The network shows this post twice.', fix: 'Delete one of the two posts on the network.' },
  post_unnamed: {
    message: 'The post is live, but the network didn’t return its ID, so the first comment couldn’t be posted.',
    fix: 'Post the comment on the network yourself.',
  },
  outcome_unknown: {
    message: 'The network didn’t respond, so the post may or may not be live.',
    fix: 'Check the account on the network, then tell us whether the post is there.',
  },
  'outcome_unknown/several': {
    message: 'The network didn’t respond. This may be one of these posts: {posts}',
    fix: 'Check the account on the network, then tell us whether the post is there.',
  },
  'outcome_unknown/comment': {
    message: 'The network didn’t respond and couldn’t be checked, so the comment may be there.',
    fix: 'Check below the post on the network. If you retry, Parley checks there first.',
  },
  'outcome_unknown/removal': {
    message: 'The network didn’t respond and couldn’t be checked, so the post may still be live.',
    fix: 'Check the post on the network. If you retry, Parley checks there first.',
  },
  'outcome_unknown/answer': {
    message: 'The network didn’t respond and couldn’t be checked, so this may have arrived.',
    fix: 'Check the conversation on the network, then tell us what you found.',
  },
  'transient/post': {
    message: 'The network didn’t respond, and Parley checked that the post isn’t there.',
    fix: 'Retry later.',
  },
  'transient/comment': {
    message: 'The network didn’t respond, and Parley checked that the comment isn’t there.',
    fix: 'Retry later.',
  },
  'transient/removal': {
    message: 'The network didn’t respond, and still shows the post.',
    fix: 'Retry later.',
  },
  'transient/answer': {
    message: 'The network didn’t respond, and Parley checked that this didn’t arrive. It wasn’t sent again.',
    fix: 'Retry later.',
  },
  'config/post': {
    message: 'Something went wrong in Parley, so the post wasn’t sent.',
    fix: 'Contact your Parley administrator.',
  },
  'config/comment': {
    message: 'Something went wrong in Parley, so the comment wasn’t posted.',
    fix: 'Contact your Parley administrator.',
  },
  'config/removal': {
    message: 'Something went wrong in Parley, so the post wasn’t deleted.',
    fix: 'Contact your Parley administrator.',
  },
  'config/answer': {
    message: 'Something went wrong in Parley, so this wasn’t sent.',
    fix: 'Contact your Parley administrator.',
  },
  'media_fetch/deleted': {
    message: 'The picture was deleted from the media library.',
    fix: 'Send another picture.',
  },
  'window_closed/private_reply': {
    message: 'The time for a private reply to this comment has ended.',
    fix: 'Reply below the comment instead.',
  },
}

export const failureTexts = { ...refusals, ...endings }

export type FailureTextKey = keyof typeof failureTexts
export type FailureTextCode = CodeOf<FailureTextKey>
