// Every error that the API answers: its status, its title, and what to do next. The reference is made from this table.
export const errors = {
  malformed_json: [400, 'The body is not JSON', 'Send a JSON body that parses.'],
  malformed_request: [400, 'The request is malformed', 'Check the headers, the query and the content type.'],
  unauthenticated: [401, 'Sign in first', 'Send a valid access token as Authorization: Bearer.'],
  token_expired: [401, 'The access token has expired', 'Refresh the session, then repeat the request.'],
  invalid_credentials: [401, 'E-mail or password is wrong', 'Check both, or reset the password.'],
  invalid_code: [401, 'The code is wrong or no longer valid', 'Check it, or have a new one sent.'],
  code_exhausted: [401, 'The code was tried too often', 'Have a new one sent.'],
  refresh_invalid: [401, 'The session cannot be refreshed', 'Sign in again.'],
  session_revoked: [401, 'The session has ended', 'Sign in again.'],
  account_disabled: [401, 'This account is disabled', 'Ask the operator.'],
  feature_not_in_plan: [402, 'The plan does not include this feature', 'Choose one of the plans named in `plans`.'],
  quota_exceeded: [
    402,
    'The quota is used up',
    'Wait until `resetsAt`, choose a larger plan, or ask for less where `cost` is more than is left.',
  ],
  role_required: [403, 'Your role does not allow this', 'Ask an owner or admin of the workspace.'],
  super_admin_required: [403, 'For the operators of the service only', 'Ask the operator.'],
  invitation_for_other_address: [
    403,
    'The invitation is for another address',
    'Sign in with the address that was invited.',
  ],
  billing_managed: [403, 'Plans are changed by the operator', 'Ask the operator for another plan.'],
  origin_refused: [403, 'The request comes from a foreign site', 'Send it from the address of the service itself.'],
  not_found: [404, 'There is no such thing here', 'Check the id and the workspace.'],
  unknown_provider: [404, 'There is no such provider', 'Use one of `providers` or `networks` of GET /config.'],
  no_workspace: [404, 'No workspace is chosen', 'Name one by X-Workspace-Id, or choose a default one.'],
  method_not_allowed: [405, 'The method is not allowed here', 'Use one of the methods in Allow.'],
  invalid_state: [409, 'Not possible in this state', 'See `current` and `allowed`.'],
  email_taken: [409, 'The e-mail address has an account', 'Sign in instead: a code to the address does it too.'],
  phone_taken: [409, 'The phone number belongs to another account', 'Sign in with it instead.'],
  link_required: [409, 'An account has this address already', 'Sign in to it first, then join the other way in.'],
  identity_taken: [409, 'This sign-in belongs to another account', 'Sign in with it, or join another one.'],
  already_member: [409, 'They are a member already', 'Change their role instead.'],
  owner_required: [409, 'A workspace has exactly one owner', 'Transfer the ownership first.'],
  too_many_workspaces: [
    409,
    'You own as many workspaces as one person may own',
    'Use one of them, or wait until a deleted one is erased.',
  ],
  idempotency_in_progress: [409, 'The same request is still running', 'Repeat it in a moment.'],
  already_published: [409, 'It is live already', 'Duplicate the post to publish it again.'],
  name_taken: [409, 'Another one has this name', 'Choose another name, or change the other one.'],
  too_many_saved: [409, 'As many are saved as a workspace may keep', 'Delete one that nobody uses.'],
  no_free_slot: [409, 'The queue has no free slot', 'Add times to the queue, or choose a time for this post.'],
  outcome_unknown: [
    409,
    'It may be live: look before acting',
    'Look at the network, then say what you found with resolve.',
  ],
  account_in_use: [409, 'Posts still need this account', 'Confirm with ?confirm=true: they will fail.'],
  media_in_use: [409, 'A post that is not yet out uses this file', 'Take it out of the post first.'],
  ai_cancelled: [409, 'It was stopped', 'Ask again.'],
  too_many_voices: [409, 'As many voices are saved as a workspace may keep', 'Delete one that nobody uses.'],
  stale_version: [412, 'Somebody changed it meanwhile', 'Fetch the current version and apply the change again.'],
  tus_version: [412, 'This version of tus is not spoken here', 'Send Tus-Resumable: 1.0.0.'],
  upload_too_slow: [408, 'The upload is too slow', 'Send it over a faster connection, or in pieces, which are kept.'],
  too_large: [413, 'The body is too large', 'Send less; see the limits in the reference.'],
  unsupported_media_type: [415, 'The type is not accepted', 'Send one of the accepted types.'],
  validation_failed: [422, 'Some values are not right', 'Fix what `errors` lists.'],
  ambiguous_target: [422, 'Several accounts are possible', 'Name one of `choices` in targets.'],
  idempotency_key_reused: [422, 'The key was used for another request', 'Use a new Idempotency-Key for another body.'],
  workspace_mismatch: [422, 'The body names another workspace', 'Name one workspace only.'],
  link_expired: [410, 'This link no longer works', 'Ask for a new one.'],
  invitation_expired: [410, 'This invitation is over', 'Ask for a new one.'],
  rate_limited: [429, 'Too many tries', 'Repeat after the time in Retry-After.'],
  ai_busy: [429, 'As many wait for the AI as a workspace may have wait', 'Repeat after the time in Retry-After.'],
  internal: [500, 'Something broke on our side', 'Repeat later; tell us the request id when it stays.'],
  ai_refused: [502, 'The model refused to write this', 'Change the brief.'],
  ai_unusable: [502, 'What the model wrote did not keep to the brief', 'Try again, or change the brief.'],
  ai_failed: [502, 'The model did not answer as it should', 'Try again in a moment.'],
  network_error: [502, 'The network did not answer as it should', 'Repeat later.'],
  unavailable: [503, 'Not available right now', 'Repeat after the time in Retry-After.'],
  ai_not_configured: [503, 'No AI provider is set up', 'Ask the operator to configure one.'],
  provider_not_configured: [503, 'This provider is not set up', 'Ask the operator to configure it.'],
} as const satisfies Record<string, readonly [status: number, title: string, remedy: string]>

export type Code = keyof typeof errors

/** One fault of a body, query or path: `path` is a JSON pointer, `code` a stable word. */
export interface Fault {
  path: string
  code: string
  message: string
  [more: string]: unknown
}

/** An error with a code of the table. `more` goes into the answer: `errors`, and what the code promises. Never put a secret there. */
export class AppError extends Error {
  readonly code: Code
  readonly status: number
  readonly more: Record<string, unknown>
  /** The person could not act at this moment, whatever they asked for. Nothing keeps such an answer. */
  readonly ofStanding: boolean

  constructor(code: Code, detail?: string, more: Record<string, unknown> = {}, ofStanding = false) {
    super(detail ?? errors[code][1])
    this.name = 'AppError'
    this.code = code
    this.status = errors[code][0]
    this.more = more
    this.ofStanding = ofStanding
  }
}

/** An answer is never much larger than what it answers. */
const FAULTS = 100

/** 422 with all faults at once, the first hundred of them; together they are one sentence that names each field. */
export const invalid = (...faults: Fault[]) => {
  const told = faults.slice(0, FAULTS)
  return new AppError('validation_failed', `${told.map(inWords).join('; ')}.`, { errors: told })
}

/** A fault with the name of its field, as it is written in code: `brief.topic`. */
function inWords({ path, message }: Fault): string {
  const field = path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  const says = message.replace(/\.$/, '')
  return field ? `${field}: ${says}` : says
}
