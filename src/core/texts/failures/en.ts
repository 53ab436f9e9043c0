/** Why a network refused a post. `message` says what happened if the network's own message says too little; `fix` is the next step. */
export const refusals = {
  auth: { message: 'The network no longer accepts our access.', fix: 'Connect the account again.' },
  access_removed: {
    message: 'The permission was revoked on the network.',
    fix: 'The permission was revoked on the network: connect the account again.',
  },
  password_changed: {
    message: 'The person who connected the account changed their password.',
    fix: 'The person who connected the account changed their password: connect it again.',
  },
  sign_in_check: {
    message: 'The network wants the person who connected the account to sign in there first.',
    fix: 'Sign in on the network, follow its instructions, then connect the account again.',
  },
  role_lost: {
    message: 'The person who connected the account lost their role on the page.',
    fix: 'Ask for your role on the page, or let a person with a role connect it.',
  },
  permission: {
    message: 'A permission is missing, or the role that it needs on the network.',
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
    message: 'The account has reached its daily limit of posts.',
    fix: 'Wait until the network allows more posts, then retry.',
  },
  too_many_pending: {
    message: 'Too many posts of the account still wait on the network.',
    fix: 'Wait until the network has processed the earlier posts, then retry.',
  },
  user_cap: {
    message: 'The application has reached its daily limit of people.',
    fix: "Tell the operator: the application has reached the network's limit of people.",
  },
  transient: { message: 'The network did not answer as it should.', fix: 'Retry later.' },
  ambiguous: { message: 'The network gave an answer that Parley does not understand.', fix: 'Retry later.' },
  media_fetch: {
    message: 'The network could not fetch the file.',
    fix: 'The network could not fetch the file. Retry; if it happens again, tell the operator.',
  },
  content: {
    message: 'The network does not accept something in this post.',
    fix: 'Change the part that the network does not accept, then publish again.',
  },
  file_too_big: { message: 'The file is too large for the network.', fix: 'Use a smaller file.' },
  file_format: {
    message: 'The network does not accept the format of the picture.',
    fix: 'Save the picture as JPEG and choose it again.',
  },
  picture_shape: {
    message: 'The picture is too tall or too wide for the network.',
    fix: 'Crop the picture to between 4:5 and 1.91:1.',
  },
  picture_size: {
    message: 'The network does not accept the size of the picture or video.',
    fix: 'Use a picture or video of another size.',
  },
  video_format: {
    message: 'The network does not accept the format of the video.',
    fix: 'Export the video as MP4 with H.264 and AAC, then choose it again.',
  },
  video_length: {
    message: 'The network does not accept the length of the video.',
    fix: 'Cut the video to a length that the network accepts.',
  },
  video_frame_rate: {
    message: 'The network does not accept the frame rate of the video.',
    fix: 'Export the video with 23 to 60 frames a second.',
  },
  video_bit_rate: {
    message: 'The network does not accept the bit rate of the video.',
    fix: 'Export the video with a lower bit rate.',
  },
  text_too_long: { message: 'The text is too long for the network.', fix: 'Shorten the text.' },
  too_many_tags: {
    message: 'The text mentions more people than the network accepts.',
    fix: 'Mention fewer people in the text.',
  },
  carousel_count: { message: 'The network accepts 2 to 10 files in one post.', fix: 'Choose 2 to 10 files.' },
  link_refused: { message: 'The network does not accept the link.', fix: 'Change or remove the link.' },
  nothing_to_show: { message: 'There is nothing to show.', fix: 'Write a text or add a file.' },
  audience_refused: {
    message: 'The account no longer allows this audience.',
    fix: 'Choose another audience: the account no longer allows this one.',
  },
  cancelled_there: {
    message: 'It was cancelled on the network.',
    fix: 'It was cancelled on the network. Publish it again if it should go out.',
  },
  person_unreachable: { message: 'This person cannot receive messages.', fix: 'This person cannot receive messages.' },
  policy: {
    message: 'The network blocked this under its rules.',
    fix: "Read the network's message in its own app before you retry.",
  },
  action_blocked: {
    message: 'The network currently restricts the actions of the account.',
    fix: 'Publish less for some hours, then check the network before you retry.',
  },
  account_restricted: {
    message: 'The network restricts the account.',
    fix: 'Lift the restriction of the account on the network, then retry.',
  },
  community_rules: {
    message: 'The network says that the post breaks its rules.',
    fix: "Change the part that breaks the network's rules, then publish again.",
  },
  same_text: {
    message: 'The page has just posted the same text.',
    fix: 'The page has just posted the same text. Change the text, or do not retry.',
  },
  not_found: {
    message: 'The network no longer knows the account.',
    fix: 'The network no longer knows the account. Connect it again.',
  },
  window_closed: {
    message: 'The time to answer this person is over.',
    fix: 'Wait until the person writes again.',
  },
  config: { message: 'The network is not set up correctly.', fix: 'Tell the operator.' },
  not_audited: {
    message: 'The network has not audited the application: it accepts posts for private accounts only.',
    fix: 'Choose the audience "Only me" and make the account private, or ask the operator to complete the audit of the network.',
  },
  address_not_verified: {
    message: 'The address of the files is not verified at the network.',
    fix: 'Ask the operator to verify the address of the files at the network.',
  },
}

/** Why Parley itself ended a delivery. */
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
  not_live: { message: 'A person checked: it is not on the network.', fix: 'Retry to send it.' },
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
