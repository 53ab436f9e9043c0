import { failureTables } from '../rules.ts'

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

/** Where a code is read. */
export type Place = keyof typeof failureTables

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

interface FailureTable {
  /** What the codes are, for people. */
  title: string
  /** Codes without a row that match are told by the row of this code. */
  family?: readonly [RegExp, code: string]
  rows: readonly (readonly [source: string, failure: FailureCode, ...marks: Mark[]])[]
}

export const tables: Readonly<Record<Place, FailureTable>> = failureTables

/** A kind after which nobody knows what became of the call, where its row does not say it. */
const doubtful: ReadonlySet<ErrorKind> = new Set(['TRANSIENT', 'AMBIGUOUS', 'DUPLICATE'])

export const rows: readonly Row[] = (Object.keys(tables) as Place[]).flatMap((place) =>
  tables[place].rows.map(([source, failure, ...marks]): Row => {
    const [code = '', subcode = null] = source.split('/')
    const maybe = marks.includes('maybe') || (!marks.includes('no') && doubtful.has(failures[failure].kind))
    const spoilt = marks.includes('spoilt')
    return { place, code, subcode, failure, committed: maybe ? 'maybe' : 'no', spoilt, known: true }
  }),
)

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
  const { family } = tables[place]
  if (family?.[0].test(code)) return { ...rowOf(place, family[1]), code, subcode }
  return { place, code, subcode, failure: 'ambiguous', committed: 'maybe', spoilt: false, known: false }
}
