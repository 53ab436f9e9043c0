import type { refusals } from '../../core/texts/failures/en.ts'
import { failureTables } from '../rules.ts'

// Every known refusal of a network: its kind, who must act, the next step, and whether a retry can help. The adapters
// classify refusals by this table, and people see its texts. `npm run failures` generates docs/failures.md from it.

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

interface Entry {
  kind: ErrorKind
  who: 'author' | 'admin' | 'operator' | 'network' | 'nobody'
  retryable: boolean
}

const of = (kind: ErrorKind, who: Entry['who'], retryable: boolean): Entry => ({ kind, who, retryable })

/** The failures by their code in the API. `core/texts/failures` has their texts. */
export const failures = {
  auth: of('AUTH', 'admin', true),
  access_removed: of('AUTH', 'admin', true),
  password_changed: of('AUTH', 'admin', true),
  sign_in_check: of('AUTH', 'admin', true),
  role_lost: of('AUTH', 'admin', true),
  permission: of('PERMISSION', 'admin', true),
  page_authorization: of('PERMISSION', 'admin', true),
  identity_check: of('PERMISSION', 'admin', true),
  rate_limit: of('RATE_LIMIT', 'nobody', true),
  quota: of('QUOTA', 'nobody', true),
  too_many_pending: of('QUOTA', 'nobody', true),
  user_cap: of('QUOTA', 'operator', true),
  transient: of('TRANSIENT', 'network', true),
  ambiguous: of('AMBIGUOUS', 'network', true),
  media_fetch: of('MEDIA_FETCH', 'operator', true),
  content: of('CONTENT', 'author', false),
  file_too_big: of('CONTENT', 'author', false),
  file_format: of('CONTENT', 'author', false),
  picture_shape: of('CONTENT', 'author', false),
  picture_size: of('CONTENT', 'author', false),
  video_format: of('CONTENT', 'author', false),
  video_length: of('CONTENT', 'author', false),
  video_over_limit: of('CONTENT', 'author', false),
  video_frame_rate: of('CONTENT', 'author', false),
  video_bit_rate: of('CONTENT', 'author', false),
  text_too_long: of('CONTENT', 'author', false),
  too_many_tags: of('CONTENT', 'author', false),
  carousel_count: of('CONTENT', 'author', false),
  link_refused: of('CONTENT', 'author', false),
  nothing_to_show: of('CONTENT', 'author', false),
  audience_refused: of('CONTENT', 'author', false),
  cancelled_there: of('CONTENT', 'author', false),
  person_unreachable: of('CONTENT', 'nobody', false),
  policy: of('POLICY', 'admin', true),
  action_blocked: of('POLICY', 'admin', true),
  account_restricted: of('POLICY', 'admin', true),
  community_rules: of('POLICY', 'author', false),
  same_text: of('DUPLICATE', 'author', false),
  not_found: of('NOT_FOUND', 'admin', true),
  window_closed: of('WINDOW_CLOSED', 'nobody', false),
  config: of('CONFIG', 'operator', false),
  not_audited: of('CONFIG', 'operator', false),
  address_not_verified: of('CONFIG', 'operator', false),
} as const satisfies Record<keyof typeof refusals, Entry>
export type FailureCode = keyof typeof failures

/** The kind of call or status in which a code appears. */
export type FailurePlace = keyof typeof failureTables

export interface FailureRow {
  place: FailurePlace
  code: string
  /** Null for any subcode without its own row. */
  subcode: string | null
  failure: FailureCode
  /** Whether the commit may have had its effect despite the error. */
  committed: 'no' | 'maybe'
  /** Whether the prepared handles are no longer usable. */
  spoilt: boolean
  /** Whether the code is in the table. */
  known: boolean
}

type Mark = 'maybe' | 'no' | 'spoilt'

interface FailureTable {
  /** The title of the table, for people. */
  title: string
  /** Codes that match but have no row use the row of this code. */
  family?: readonly [RegExp, code: string]
  rows: readonly (readonly [source: string, failure: FailureCode, ...marks: Mark[]])[]
}

export const tables: Readonly<Record<FailurePlace, FailureTable>> = failureTables

/** Kinds that leave the outcome unknown unless their row says otherwise. */
const unknownOutcomes: ReadonlySet<ErrorKind> = new Set(['TRANSIENT', 'AMBIGUOUS', 'DUPLICATE'])

export const rows: readonly FailureRow[] = (Object.keys(tables) as FailurePlace[]).flatMap((place) =>
  tables[place].rows.map(([source, failure, ...marks]): FailureRow => {
    const [code = '', subcode = null] = source.split('/')
    const maybe = marks.includes('maybe') || (!marks.includes('no') && unknownOutcomes.has(failures[failure].kind))
    const spoilt = marks.includes('spoilt')
    return { place, code, subcode, failure, committed: maybe ? 'maybe' : 'no', spoilt, known: true }
  }),
)

const keyOf = (place: FailurePlace, code: string, subcode: string | null) => `${place} ${code}/${subcode ?? ''}`
const known: ReadonlyMap<string, FailureRow> = new Map(
  rows.map((each) => [keyOf(each.place, each.code, each.subcode), each]),
)

/**
 * Returns the row for the error of an answer. An unknown code counts as an ambiguous failure with an unknown effect:
 * before the commit Parley retries, after it Parley reads the network.
 */
export function rowOf(place: FailurePlace, code: string, subcode: string | null = null): FailureRow {
  const exact = known.get(keyOf(place, code, subcode))
  if (exact) return exact
  const ofCode = known.get(keyOf(place, code, null))
  const ofSubcode = subcode === null ? undefined : known.get(keyOf(place, '*', subcode))
  // The subcode is more specific, but its code may leave open whether there was an effect.
  if (ofSubcode) return ofCode?.committed === 'maybe' ? { ...ofSubcode, committed: 'maybe' } : ofSubcode
  if (ofCode) return ofCode
  const { family } = tables[place]
  if (family?.[0].test(code)) return { ...rowOf(place, family[1]), code, subcode }
  return { place, code, subcode, failure: 'ambiguous', committed: 'maybe', spoilt: false, known: false }
}
