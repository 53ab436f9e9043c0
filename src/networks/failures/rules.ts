// Every refusal of a network that is known: what it is, who must act, what to do, and whether trying again can help. The adapters
// classify by this table and people are told by it; docs/failures.md is made from it (npm run failures).

export type ErrorKind =
  | 'AUTH'
  | 'PERMISSION'
  | 'RATE_LIMIT'
  | 'QUOTA'
  | 'TRANSIENT'
  | 'AMBIGUOUS'
  | 'MEDIA_FETCH'
  | 'CONTENT'
  | 'POLICY'
  | 'DUPLICATE'
  | 'NOT_FOUND'
  | 'WINDOW_CLOSED'
  | 'CONFIG'

/** What helps after a failure, who can do it, and whether another try may succeed. */
interface Remedy {
  fix: string
  who: 'author' | 'admin' | 'operator' | 'network' | 'nobody'
  retryable: boolean
}

interface Entry extends Remedy {
  kind: ErrorKind
}

const of = (kind: ErrorKind, who: Remedy['who'], retryable: boolean, fix: string): Entry => ({
  kind,
  who,
  retryable,
  fix,
})

/** What can be the matter, by the code that people are told. */
export const failures = {
  auth: of('AUTH', 'admin', true, 'Connect the account again.'),
  access_removed: of('AUTH', 'admin', true, 'Permission was taken back on the network: connect the account again.'),
  password_changed: of(
    'AUTH',
    'admin',
    true,
    'Whoever connected the account changed their password: connect it again.',
  ),
  sign_in_check: of(
    'AUTH',
    'admin',
    true,
    'Sign in on the network, do what it asks for, then connect the account again.',
  ),
  role_lost: of(
    'AUTH',
    'admin',
    true,
    'Have your role on the page given back, or let somebody who has one connect it.',
  ),
  permission: of('PERMISSION', 'admin', true, 'Connect the account again and grant every permission.'),
  page_authorization: of(
    'PERMISSION',
    'admin',
    true,
    'Complete the authorization of the page on the network, then retry.',
  ),
  identity_check: of('PERMISSION', 'admin', true, 'Confirm your identity on the network, then retry.'),
  rate_limit: of('RATE_LIMIT', 'nobody', true, 'Wait, then retry.'),
  quota: of('QUOTA', 'nobody', true, 'Wait until the network allows more posts, then retry.'),
  too_many_pending: of(
    'QUOTA',
    'nobody',
    true,
    'Wait until the network has worked through what it was sent, then retry.',
  ),
  user_cap: of(
    'QUOTA',
    'operator',
    true,
    "Tell the operator: the application has reached the network's number of people.",
  ),
  transient: of('TRANSIENT', 'network', true, 'Retry later.'),
  ambiguous: of('AMBIGUOUS', 'network', true, 'Retry later.'),
  media_fetch: of(
    'MEDIA_FETCH',
    'operator',
    true,
    'The network could not fetch the file. Retry; if it stays, tell the operator.',
  ),
  content: of('CONTENT', 'author', false, 'Change what the network does not take, then publish again.'),
  file_too_big: of('CONTENT', 'author', false, 'Use a smaller file.'),
  file_format: of('CONTENT', 'author', false, 'Save the picture as JPEG and choose it again.'),
  picture_shape: of('CONTENT', 'author', false, 'Crop the picture to between 4:5 and 1.91:1.'),
  picture_size: of('CONTENT', 'author', false, 'Use a picture or video of another size.'),
  video_format: of('CONTENT', 'author', false, 'Export the video as MP4 with H.264 and AAC, then choose it again.'),
  video_length: of('CONTENT', 'author', false, 'Cut the video to the length that the network takes.'),
  video_frame_rate: of('CONTENT', 'author', false, 'Export the video with 23 to 60 pictures a second.'),
  video_bit_rate: of('CONTENT', 'author', false, 'Export the video with a lower bit rate.'),
  text_too_long: of('CONTENT', 'author', false, 'Shorten the text.'),
  too_many_tags: of('CONTENT', 'author', false, 'Name fewer people in the text.'),
  carousel_count: of('CONTENT', 'author', false, 'Choose 2 to 10 files.'),
  link_refused: of('CONTENT', 'author', false, 'Change or remove the link.'),
  nothing_to_show: of('CONTENT', 'author', false, 'Write a text or add a file.'),
  audience_refused: of(
    'CONTENT',
    'author',
    false,
    'Choose another audience: the account does not allow this one any more.',
  ),
  cancelled_there: of(
    'CONTENT',
    'author',
    false,
    'It was cancelled on the network. Publish it again if it should go out.',
  ),
  person_unreachable: of('CONTENT', 'nobody', false, 'The person cannot be written to.'),
  policy: of('POLICY', 'admin', true, "Read the network's message in its own app before trying again."),
  action_blocked: of(
    'POLICY',
    'admin',
    true,
    'Publish less for some hours, then look on the network before trying again.',
  ),
  account_restricted: of('POLICY', 'admin', true, 'Lift the restriction of the account on the network, then retry.'),
  community_rules: of('POLICY', 'author', false, "Change what breaks the network's rules, then publish again."),
  same_text: of('DUPLICATE', 'author', false, 'The page has just posted the same text. Change it, or leave it.'),
  not_found: of('NOT_FOUND', 'admin', true, 'The network does not know the account any more. Connect it again.'),
  window_closed: of('WINDOW_CLOSED', 'nobody', false, 'Wait until the person writes again.'),
  config: of('CONFIG', 'operator', false, 'Tell the operator.'),
  not_audited: of(
    'CONFIG',
    'operator',
    false,
    'Choose the audience "Only me" and make the account private, or have the operator pass the audit of the network.',
  ),
  address_not_verified: of(
    'CONFIG',
    'operator',
    false,
    'Have the operator verify the address of the files at the network.',
  ),
} as const satisfies Record<string, Entry>
export type FailureCode = keyof typeof failures

/**
 * Where a code is read: the Graph API and a container of NET_PHOTO, calls of NET_VIDEO and why it gave up a post, its upload
 * host, and its way to tokens.
 */
export type Place = 'graph' | 'container' | 'page_video' | 'video' | 'video_post' | 'video_upload' | 'video_tokens'

export interface Row {
  place: Place
  code: string
  /** Null: under whatever subcode, unless that has a row. */
  subcode: string | null
  failure: FailureCode
  /** Whether the one call that cannot be undone may have had its effect all the same. */
  committed: 'no' | 'maybe'
  /** What was prepared is of no use any more. */
  spoilt: boolean
  /** Whether the code is written down here. */
  known: boolean
}

type Mark = 'maybe' | 'no' | 'spoilt'

/** A kind after which nobody knows what became of the call, where its row does not say it. */
const doubtful: ReadonlySet<ErrorKind> = new Set(['TRANSIENT', 'AMBIGUOUS', 'DUPLICATE'])

function row(place: Place, source: string, failure: FailureCode, ...marks: Mark[]): Row {
  const [code = '', subcode = null] = source.split('/')
  const maybe = marks.includes('maybe') || (!marks.includes('no') && doubtful.has(failures[failure].kind))
  return {
    place,
    code,
    subcode,
    failure,
    committed: maybe ? 'maybe' : 'no',
    spoilt: marks.includes('spoilt'),
    known: true,
  }
}

/** `code/subcode`; `*` is any code: a subcode that means the same wherever it comes. Source: the networks' error references. */
export const rows: readonly Row[] = [
  row('graph', '-1', 'transient'),
  row('graph', '-1/2207001', 'transient', 'spoilt'),
  row('graph', '-1/2207032', 'transient', 'spoilt'),
  row('graph', '-1/2207053', 'transient', 'spoilt'),
  row('graph', '-2', 'transient'),
  row('graph', '-2/2207003', 'transient'),
  row('graph', '-2/2207020', 'transient', 'spoilt'),
  row('graph', '1', 'transient'),
  row('graph', '1/2207057', 'content', 'no'),
  row('graph', '2', 'transient'),
  row('graph', '3', 'permission'),
  row('graph', '4', 'rate_limit'),
  // The network says that it refused, and was seen to publish all the same.
  row('graph', '4/2207051', 'action_blocked', 'maybe'),
  row('graph', '9/2207042', 'quota'),
  row('graph', '10', 'permission'),
  row('graph', '10/2018278', 'window_closed'),
  row('graph', '10/1893063', 'rate_limit'),
  row('graph', '17', 'rate_limit'),
  // A container that is not to be found may have been published.
  row('graph', '24/2207006', 'transient'),
  row('graph', '24/2207008', 'transient', 'no', 'spoilt'),
  row('graph', '25/2207050', 'account_restricted'),
  row('graph', '32', 'rate_limit'),
  row('graph', '100', 'content'),
  row('graph', '100/33', 'not_found'),
  // An upload that is over may have been finished.
  row('graph', '100/1363030', 'content', 'maybe'),
  row('graph', '100/2018001', 'person_unreachable'),
  row('graph', '100/2069019', 'media_fetch'),
  row('graph', '100/2207023', 'content'),
  row('graph', '100/2207028', 'carousel_count'),
  row('graph', '100/2207035', 'content'),
  row('graph', '100/2207036', 'content'),
  row('graph', '100/2207037', 'content'),
  row('graph', '100/2207040', 'too_many_tags'),
  row('graph', '101', 'config'),
  row('graph', '102', 'auth'),
  row('graph', '104', 'auth'),
  row('graph', '190', 'auth'),
  row('graph', '190/458', 'access_removed'),
  row('graph', '190/459', 'sign_in_check'),
  row('graph', '190/460', 'password_changed'),
  row('graph', '190/463', 'auth'),
  row('graph', '190/464', 'sign_in_check'),
  row('graph', '190/467', 'auth'),
  row('graph', '190/492', 'role_lost'),
  row('graph', '200', 'permission'),
  row('graph', '324', 'content'),
  row('graph', '324/2069019', 'media_fetch'),
  row('graph', '341', 'rate_limit'),
  row('graph', '352/2207026', 'video_format'),
  row('graph', '368', 'policy'),
  row('graph', '382', 'picture_size'),
  row('graph', '389', 'media_fetch'),
  row('graph', '506', 'same_text'),
  row('graph', '551', 'person_unreachable'),
  row('graph', '551/1545041', 'person_unreachable'),
  row('graph', '613', 'rate_limit'),
  row('graph', '2500', 'config'),
  row('graph', '2635', 'config'),
  row('graph', '3001/1504028', 'config'),
  row('graph', '6000', 'video_format'),
  row('graph', '6001', 'transient'),
  row('graph', '9004', 'media_fetch'),
  row('graph', '9004/2207052', 'media_fetch', 'spoilt'),
  row('graph', '9007', 'transient', 'no'),
  row('graph', '9007/2207027', 'transient', 'no'),
  row('graph', '36000/2207004', 'file_too_big'),
  row('graph', '36001/2207005', 'file_format'),
  row('graph', '36003/2207009', 'picture_shape'),
  row('graph', '36004/2207010', 'text_too_long'),
  row('graph', '80001', 'rate_limit'),
  row('graph', '80002', 'rate_limit'),
  row('graph', '80006', 'rate_limit'),
  row('graph', '1609005', 'link_refused'),
  row('graph', '*/1346003', 'community_rules'),
  row('graph', '*/1349125', 'nothing_to_show'),
  row('graph', '*/1363047', 'transient'),
  row('graph', '*/1366046', 'file_too_big'),
  row('graph', '*/1366051', 'same_text'),
  row('graph', '*/1390008', 'rate_limit'),
  row('graph', '*/1404006', 'sign_in_check'),
  row('graph', '*/1404078', 'page_authorization'),
  row('graph', '*/1404102', 'community_rules'),
  row('graph', '*/1404112', 'account_restricted'),
  row('graph', '*/1609008', 'link_refused'),
  row('graph', '*/1609010', 'transient'),
  row('graph', '*/2061006', 'link_refused'),
  row('graph', '*/2207077', 'media_fetch'),
  row('graph', '*/2207081', 'content'),
  row('graph', '*/2207082', 'transient', 'spoilt'),
  row('graph', '*/4854002', 'identity_check'),

  // Of a container that failed only the subcode is told; it is of no use any more.
  row('container', '2207001', 'media_fetch', 'spoilt'),
  row('container', '2207003', 'media_fetch', 'spoilt'),
  row('container', '2207032', 'media_fetch', 'spoilt'),
  row('container', '2207052', 'media_fetch', 'spoilt'),
  row('container', '2207053', 'media_fetch', 'spoilt'),
  row('container', '2207077', 'media_fetch', 'spoilt'),
  row('container', '2207082', 'transient', 'no', 'spoilt'),
  row('container', '2207004', 'file_too_big', 'spoilt'),
  row('container', '2207005', 'file_format', 'spoilt'),
  row('container', '2207009', 'picture_shape', 'spoilt'),
  row('container', '2207010', 'text_too_long', 'spoilt'),
  row('container', '2207026', 'video_format', 'spoilt'),
  row('container', 'EXPIRED', 'transient', 'no', 'spoilt'),
  row('container', 'IN_PROGRESS', 'transient', 'no', 'spoilt'),
  row('container', 'ERROR', 'content', 'spoilt'),

  row('page_video', 'error', 'video_format', 'spoilt'),
  row('page_video', 'upload_failed', 'video_format', 'spoilt'),
  row('page_video', 'expired', 'transient', 'no', 'spoilt'),

  row('video', 'access_token_invalid', 'auth'),
  row('video', 'scope_not_authorized', 'permission'),
  row('video', 'scope_permission_missed', 'permission'),
  row('video', 'invalid_param', 'content'),
  row('video', 'invalid_params', 'content'),
  row('video', 'invalid_file_upload', 'video_format'),
  row('video', 'app_version_check_failed', 'content'),
  row('video', 'invalid_publish_id', 'not_found', 'spoilt'),
  row('video', 'token_not_authorized_for_specified_publish_id', 'not_found'),
  row('video', 'publish_not_cancellable', 'not_found'),
  row('video', 'spam_risk_too_many_posts', 'quota'),
  row('video', 'spam_risk_too_many_pending_share', 'too_many_pending'),
  row('video', 'spam_risk_user_banned_from_posting', 'account_restricted'),
  row('video', 'spam_risk', 'policy'),
  row('video', 'spam_risk_text', 'community_rules'),
  row('video', 'reached_active_user_cap', 'user_cap'),
  row('video', 'unaudited_client_can_only_post_to_private_accounts', 'not_audited'),
  row('video', 'url_ownership_unverified', 'address_not_verified'),
  row('video', 'privacy_level_option_mismatch', 'audience_refused'),
  row('video', 'duration_check_failed', 'video_length'),
  row('video', 'rate_limit_exceeded', 'rate_limit'),
  row('video', 'internal_error', 'transient'),

  // Why a post that was taken came to nothing: nothing of it is live, and a new try begins from nothing.
  row('video_post', 'file_format_check_failed', 'video_format', 'spoilt'),
  row('video_post', 'duration_check_failed', 'video_length', 'spoilt'),
  row('video_post', 'frame_rate_check_failed', 'video_frame_rate', 'spoilt'),
  row('video_post', 'picture_size_check_failed', 'picture_size', 'spoilt'),
  row('video_post', 'video_bitrate_check_failed', 'video_bit_rate', 'spoilt'),
  row('video_post', 'spam_risk', 'policy', 'spoilt'),
  row('video_post', 'spam_risk_text', 'community_rules', 'spoilt'),
  row('video_post', 'spam_risk_too_many_posts', 'quota', 'spoilt'),
  row('video_post', 'spam_risk_user_banned_from_posting', 'account_restricted', 'spoilt'),
  row('video_post', 'auth_removed', 'access_removed', 'spoilt'),
  row('video_post', 'publish_cancelled', 'cancelled_there', 'spoilt'),
  row('video_post', 'internal', 'transient', 'no', 'spoilt'),
  row('video_post', 'video_pull_failed', 'media_fetch', 'spoilt'),
  row('video_post', 'photo_pull_failed', 'media_fetch', 'spoilt'),

  // A piece of an upload that the host refuses begins it again; of the last one an address that is over may have done its duty.
  row('video_upload', '400', 'transient', 'no', 'spoilt'),
  row('video_upload', '403', 'transient', 'spoilt'),
  row('video_upload', '404', 'transient', 'spoilt'),
  row('video_upload', '410', 'transient', 'spoilt'),
  row('video_upload', '416', 'ambiguous', 'spoilt'),

  row('video_tokens', 'invalid_grant', 'auth'),
  row('video_tokens', 'access_denied', 'auth'),
  row('video_tokens', 'invalid_request', 'config'),
  row('video_tokens', 'invalid_client', 'config'),
  row('video_tokens', 'invalid_scope', 'config'),
  row('video_tokens', 'unauthorized_client', 'config'),
  row('video_tokens', 'unsupported_grant_type', 'config'),
  row('video_tokens', 'server_error', 'transient', 'no'),
  row('video_tokens', 'temporarily_unavailable', 'transient', 'no'),
]

const keyOf = (place: Place, code: string, subcode: string | null) => `${place} ${code}/${subcode ?? ''}`
const known: ReadonlyMap<string, Row> = new Map(rows.map((each) => [keyOf(each.place, each.code, each.subcode), each]))

/**
 * The row of an answer. What nobody has written down is taken for a passing failure of which it is not known what it did: before
 * the commit it is tried again, after it the network is read.
 */
export function rowOf(place: Place, code: string, subcode: string | null = null): Row {
  const exact = known.get(keyOf(place, code, subcode))
  if (exact) return exact
  const ofCode = known.get(keyOf(place, code, null))
  const ofSubcode = subcode === null ? undefined : known.get(keyOf(place, '*', subcode))
  // A subcode of any code tells more of the failure; whether it had its effect the code alone may leave open.
  if (ofSubcode) return ofCode?.committed === 'maybe' ? { ...ofSubcode, committed: 'maybe' } : ofSubcode
  if (ofCode) return ofCode
  if (place === 'graph' && /^2\d\d$/.test(code)) return { ...rowOf('graph', '200'), code, subcode }
  if (place.startsWith('video') && code.startsWith('spam_risk')) return { ...rowOf(place, 'spam_risk'), code }
  return { place, code, subcode, failure: 'ambiguous', committed: 'maybe', spoilt: false, known: false }
}
