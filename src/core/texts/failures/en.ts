/** Why a network refused a post: what happened, where its own words say too little, and what to do. */
export const refusals = {
  auth: { message: 'The network no longer accepts our access.', fix: 'Connect the account again.' },
  access_removed: {
    message: 'Permission was taken back on the network.',
    fix: 'Permission was taken back on the network: connect the account again.',
  },
  password_changed: {
    message: 'Whoever connected the account changed their password.',
    fix: 'Whoever connected the account changed their password: connect it again.',
  },
  sign_in_check: {
    message: 'The network wants whoever connected the account to sign in there first.',
    fix: 'Sign in on the network, do what it asks for, then connect the account again.',
  },
  role_lost: {
    message: 'Whoever connected the account lost their role on the page.',
    fix: 'Have your role on the page given back, or let somebody who has one connect it.',
  },
  permission: {
    message: 'A permission is missing, or the role on the network that it needs.',
    fix: 'Connect the account again and grant every permission.',
  },
  page_authorization: {
    message: 'The network wants the page to be authorized first.',
    fix: 'Complete the authorization of the page on the network, then retry.',
  },
  identity_check: {
    message: 'The network wants an identity to be confirmed first.',
    fix: 'Confirm your identity on the network, then retry.',
  },
  rate_limit: { message: 'The network allows no more calls for now.', fix: 'Wait, then retry.' },
  quota: {
    message: 'The account has reached its number of posts for today.',
    fix: 'Wait until the network allows more posts, then retry.',
  },
  too_many_pending: {
    message: 'Too many posts of the account still wait on the network.',
    fix: 'Wait until the network has worked through what it was sent, then retry.',
  },
  user_cap: {
    message: 'The application has reached its number of people for today.',
    fix: "Tell the operator: the application has reached the network's number of people.",
  },
  transient: { message: 'The network did not answer as it should.', fix: 'Retry later.' },
  ambiguous: { message: 'The network answered with what nobody can understand.', fix: 'Retry later.' },
  media_fetch: {
    message: 'The network could not fetch the file.',
    fix: 'The network could not fetch the file. Retry; if it stays, tell the operator.',
  },
  content: {
    message: 'The network does not accept something in this post.',
    fix: 'Change what the network does not take, then publish again.',
  },
  file_too_big: { message: 'The file is too big for the network.', fix: 'Use a smaller file.' },
  file_format: {
    message: 'The network does not take the format of the picture.',
    fix: 'Save the picture as JPEG and choose it again.',
  },
  picture_shape: {
    message: 'The picture is too tall or too wide for the network.',
    fix: 'Crop the picture to between 4:5 and 1.91:1.',
  },
  picture_size: {
    message: 'The network does not take the size of the picture or video.',
    fix: 'Use a picture or video of another size.',
  },
  video_format: {
    message: 'The network does not take the format of the video.',
    fix: 'Export the video as MP4 with H.264 and AAC, then choose it again.',
  },
  video_length: {
    message: 'The network does not take the length of the video.',
    fix: 'Cut the video to the length that the network takes.',
  },
  video_frame_rate: {
    message: 'The network does not take the frame rate of the video.',
    fix: 'Export the video with 23 to 60 pictures a second.',
  },
  video_bit_rate: {
    message: 'The network does not take the bit rate of the video.',
    fix: 'Export the video with a lower bit rate.',
  },
  text_too_long: { message: 'The text is too long for the network.', fix: 'Shorten the text.' },
  too_many_tags: {
    message: 'The text names more people than the network takes.',
    fix: 'Name fewer people in the text.',
  },
  carousel_count: { message: 'The network takes 2 to 10 files in one post.', fix: 'Choose 2 to 10 files.' },
  link_refused: { message: 'The network does not take the link.', fix: 'Change or remove the link.' },
  nothing_to_show: { message: 'There is nothing to show.', fix: 'Write a text or add a file.' },
  audience_refused: {
    message: 'The account does not allow this audience any more.',
    fix: 'Choose another audience: the account does not allow this one any more.',
  },
  cancelled_there: {
    message: 'It was cancelled on the network.',
    fix: 'It was cancelled on the network. Publish it again if it should go out.',
  },
  person_unreachable: { message: 'The person cannot be written to.', fix: 'The person cannot be written to.' },
  policy: {
    message: 'The network blocked this by its rules.',
    fix: "Read the network's message in its own app before trying again.",
  },
  action_blocked: {
    message: 'The network restricts what the account may do for now.',
    fix: 'Publish less for some hours, then look on the network before trying again.',
  },
  account_restricted: {
    message: 'The network restricts the account.',
    fix: 'Lift the restriction of the account on the network, then retry.',
  },
  community_rules: {
    message: 'The network says that the post breaks its rules.',
    fix: "Change what breaks the network's rules, then publish again.",
  },
  same_text: {
    message: 'The page has just posted the same text.',
    fix: 'The page has just posted the same text. Change it, or leave it.',
  },
  not_found: {
    message: 'The network does not know the account any more.',
    fix: 'The network does not know the account any more. Connect it again.',
  },
  window_closed: {
    message: 'The time in which the person may be answered is over.',
    fix: 'Wait until the person writes again.',
  },
  config: { message: 'The network is not set up as it should be.', fix: 'Tell the operator.' },
  not_audited: {
    message: 'The network has not audited the application: it takes posts for private accounts alone.',
    fix: 'Choose the audience "Only me" and make the account private, or have the operator pass the audit of the network.',
  },
  address_not_verified: {
    message: 'The network does not know that the address of the files is ours.',
    fix: 'Have the operator verify the address of the files at the network.',
  },
}

/** Why we ended it ourselves. */
export const endings = {
  missed: {
    message: 'The service was down at the time and came back more than a day later.',
    fix: 'Retry to send it now.',
  },
  reconnect_needed: {
    message: 'The account was not connected again within a day.',
    fix: 'Connect the account again, then retry.',
  },
  account_paused: { message: 'The account stayed paused for a day.', fix: 'Resume the account, then retry.' },
  account_disconnected: {
    message: 'The account was disconnected before its turn.',
    fix: 'Connect the account again, then retry.',
  },
  no_target: { message: 'No account was chosen.', fix: 'Choose where to post, then publish.' },
  not_live: { message: 'Somebody looked: it is not on the network.', fix: 'Retry to send it.' },
  stopped: { message: 'A person stopped it before it was sent.', fix: 'Retry to send it.' },
  superseded: {
    message: 'The post turned out to be live elsewhere while it was being edited.',
    fix: 'Duplicate the post to publish the new version.',
  },
  duplicate: { message: 'The network shows this post twice.', fix: 'Remove one of the two on the network.' },
  post_unnamed: {
    message: 'The post is live, but the network did not return its id. The first comment could not be written.',
    fix: 'Write the comment on the network yourself.',
  },
  outcome_unknown: {
    message: 'The network did not answer and cannot be read: the post may be live.',
    fix: 'Look at the account on the network, then say whether the post is there.',
  },
}

export type FailureTextCode = keyof typeof refusals | keyof typeof endings
