// Every error of the API: its status, its title and the next step. The reference is generated from this table.
export const errors = {
  malformed_json: [400, 'The body isn’t valid JSON', 'Send a JSON body that parses.'],
  malformed_request: [400, 'The request is malformed', 'Check the headers, the query and the content type.'],
  unauthenticated: [401, 'Sign in first', 'Send a valid access token as Authorization: Bearer.'],
  token_expired: [401, 'The access token has expired', 'Refresh the session, then repeat the request.'],
  invalid_credentials: [401, 'The email or password is incorrect', 'Check both, or reset the password.'],
  invalid_code: [401, 'The code is incorrect or has expired', 'Check the code, or request a new one.'],
  code_exhausted: [401, 'Too many incorrect codes', 'Request a new code.'],
  refresh_invalid: [401, 'The session can’t be refreshed', 'Sign in again.'],
  session_revoked: [401, 'The session has ended', 'Sign in again.'],
  account_disabled: [401, 'This account is disabled', 'Contact the Parley administrator.'],
  feature_not_in_plan: [402, 'The plan doesn’t include this feature', 'Choose one of the plans named in `plans`.'],
  quota_exceeded: [
    402,
    'The quota is used up',
    'Wait until `resetsAt`, upgrade the plan, or ask for less if `cost` exceeds the remaining credits.',
  ],
  role_required: [403, 'Your role doesn’t allow this', 'Ask the owner or an admin of the workspace.'],
  author_required: [403, 'Only the author can change this', 'Ask the author to change it.'],
  super_admin_required: [403, 'Only Parley administrators can do this', 'Contact the Parley administrator.'],
  invitation_for_other_address: [
    403,
    'The invitation was sent to another address',
    'Sign in with the invited address.',
  ],
  billing_managed: [
    403,
    'Plans are managed by the Parley administrator',
    'Ask the Parley administrator for another plan.',
  ],
  signature_invalid: [401, 'The signature is missing or wrong', 'Sign the bytes of the body with the app’s secret.'],
  verify_token_invalid: [403, 'The verify token is wrong', 'Use the verify token from the settings of this service.'],
  origin_refused: [403, 'The request comes from another site', 'Send it from the address of the service.'],
  not_found: [404, 'Not found', 'Check the ID and the workspace.'],
  unknown_provider: [404, 'Unknown provider', 'Use one of `providers` or `networks` of GET /config.'],
  no_workspace: [404, 'No workspace selected', 'Send X-Workspace-Id, or choose a default workspace.'],
  method_not_allowed: [405, 'The method isn’t allowed here', 'Use one of the methods in Allow.'],
  invalid_state: [409, 'Not possible in this state', 'See `current` and `allowed`.'],
  email_taken: [409, 'This email address already has an account', 'Sign in instead, for example with a code by email.'],
  phone_taken: [409, 'The phone number belongs to another account', 'Sign in with it instead.'],
  link_required: [
    409,
    'An account with this address already exists',
    'Sign in to it first, then add the other way to sign in.',
  ],
  identity_taken: [409, 'This sign-in belongs to another account', 'Sign in with it, or add a different one.'],
  already_member: [409, 'This person is already a member', 'Change their role instead.'],
  owner_required: [409, 'Every workspace needs an owner', 'Transfer ownership first.'],
  too_many_workspaces: [
    409,
    'The maximum number of owned workspaces is reached',
    'Use one of them, transfer one, or wait until a deleted one is erased.',
  ],
  idempotency_in_progress: [409, 'The same request is still running', 'Repeat it in a moment.'],
  already_published: [409, 'The post is already live', 'Duplicate the post to publish it again.'],
  removal_unsupported: [
    409,
    'This network doesn’t let apps delete posts',
    'Delete the post on the network itself, and here without `alsoOn`.',
  ],
  newer_message: [409, 'There is a newer message', 'Read `message`, then send the reply again with its ID as `seen`.'],
  window_closed: [
    409,
    'The network’s reply window has closed',
    'Wait until the customer writes again, or reply on the network itself.',
  ],
  name_taken: [409, 'This name is already in use', 'Choose another name.'],
  too_many_saved: [409, 'The maximum number is saved', 'Delete one to make room.'],
  no_free_slot: [409, 'The queue has no free time', 'Add times to the queue, or choose a time for this post.'],
  outcome_unknown: [409, 'The post may already be live', 'Check the network, then report what you found with resolve.'],
  account_in_use: [
    409,
    'Scheduled posts still need this account',
    'Send ?confirm=true to continue; these posts will fail.',
  ],
  media_in_use: [
    409,
    'This file is used in a post that hasn’t been published yet',
    'Remove the file from the post first.',
  ],
  ai_cancelled: [409, 'The request was stopped', 'Send a new request.'],
  too_many_voices: [409, 'The maximum number of brand voices is saved', 'Delete one to make room.'],
  stale_version: [
    412,
    'Someone else changed it in the meantime',
    'Fetch the current version and apply the change again.',
  ],
  tus_version: [412, 'This tus version isn’t supported', 'Send Tus-Resumable: 1.0.0.'],
  upload_too_slow: [408, 'The upload is too slow', 'Use a faster connection, or a resumable upload.'],
  too_large: [413, 'The body is too large', 'Send less; see the limits in the reference.'],
  unsupported_media_type: [415, 'The file type isn’t supported', 'Send one of the accepted types.'],
  validation_failed: [422, 'Some values are invalid', 'Fix what `errors` lists.'],
  ambiguous_target: [422, 'Several accounts match', 'Name one of `choices` in targets.'],
  idempotency_key_reused: [422, 'The key was used for another request', 'Use a new Idempotency-Key for another body.'],
  workspace_mismatch: [422, 'The body names another workspace', 'Name one workspace only.'],
  link_expired: [410, 'This link no longer works', 'Ask for a new one.'],
  invitation_expired: [410, 'This invitation has expired', 'Ask for a new one.'],
  rate_limited: [429, 'Too many attempts', 'Retry after the time in Retry-After.'],
  ai_busy: [429, 'Too many AI requests are running', 'Retry after the time in Retry-After.'],
  internal: [
    500,
    'Something went wrong on our end',
    'Try again later. If it keeps happening, contact the Parley administrator with the request ID.',
  ],
  ai_refused: [502, 'The AI declined to write this', 'Change the brief.'],
  ai_unusable: [502, 'The AI’s response didn’t match the brief', 'Try again, or change the brief.'],
  ai_failed: [502, 'The AI couldn’t complete the request', 'Try again in a moment.'],
  network_error: [502, 'The network had a temporary problem', 'Try again later.'],
  unavailable: [503, 'Not available right now', 'Retry after the time in Retry-After.'],
  ai_not_configured: [503, 'AI isn’t set up', 'Ask the Parley administrator to configure a provider.'],
  provider_not_configured: [503, 'This provider isn’t set up', 'Ask the Parley administrator to configure it.'],
} as const satisfies Record<string, readonly [status: number, title: string, remedy: string]>

export type Code = keyof typeof errors

/** One fault of a body, query or path: `path` is a JSON pointer, `code` a stable word. */
export interface Fault {
  path: string
  code: string
  message: string
  [more: string]: unknown
}

/** The JSON pointer to a place in a body. */
export const pointer = (path: readonly PropertyKey[]) =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** What `invalid_state` tells: the state that was found, and what is possible. Empty if nothing is. */
export type StateRefusal = { current: string | number; allowed: readonly (string | number)[] }

type Told<C extends Code> = C extends 'invalid_state'
  ? [detail: string | undefined, more: StateRefusal]
  : [detail?: string | undefined, more?: Record<string, unknown> | undefined, ofStanding?: boolean]

/**
 * An error with a code of the table. `more` is added to the answer: `errors`, and the fields of the code. Never put a
 * secret there.
 */
export class AppError<C extends Code = Code> extends Error {
  readonly code: Code
  readonly status: number
  readonly more: Record<string, unknown>
  /** The person may not act at this moment, whatever the request. Such an answer is never stored. */
  readonly ofStanding: boolean

  constructor(code: C, ...told: Told<C>) {
    const [detail, more = {}, ofStanding = false] = told as Told<'not_found'>
    super(detail ?? errors[code][1])
    this.name = 'AppError'
    this.code = code
    this.status = errors[code][0]
    this.more = more
    this.ofStanding = ofStanding
  }
}

/** Keeps an answer from being much larger than its request. */
const FAULTS = 100

/** 422 with all faults, up to the first hundred. The detail joins them into one sentence that names each field. */
export const invalid = (...faults: Fault[]) => {
  const told = faults.slice(0, FAULTS)
  return new AppError('validation_failed', `${told.map(inWords).join('; ')}.`, { errors: told })
}

/** A fault as text, with its field written as in code: `brief.topic`. */
function inWords({ path, message }: Fault): string {
  const field = path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  const says = message.replace(/\.$/, '')
  return field ? `${field}: ${says}` : says
}
