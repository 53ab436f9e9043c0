import { randomBytes } from 'node:crypto'

/** A refusal of the Graph API, which becomes the body `{ error: … }`. */
export type GraphRefusal = {
  message: string
  code: number
  status?: number
  type?: string
  subcode?: number
  title?: string
  userMessage?: string
  transient?: boolean
  data?: unknown
}

/** The error that any Graph handler throws. The central error handler turns it into the real error body. */
export class GraphError extends Error {
  readonly refused: GraphRefusal

  constructor(refused: GraphRefusal) {
    super(refused.message)
    this.refused = refused
  }
}

export const newTrace = () => `A${randomBytes(16).toString('base64url')}`

export function statusOf({ status, code }: GraphRefusal): number {
  if (status !== undefined) return status
  if (code === 2 || code === 1) return 500
  return code === 10 || (code >= 200 && code <= 299) ? 403 : 400
}

export function errorBody(refused: GraphRefusal, trace: string): object {
  const { message, code, type, subcode, title, userMessage, transient, data } = refused
  return {
    error: {
      message,
      type: type ?? 'OAuthException',
      code,
      ...(data !== undefined && { error_data: data }),
      ...(subcode !== undefined && { error_subcode: subcode }),
      ...(transient !== undefined && { is_transient: transient }),
      ...(title !== undefined && { error_user_title: title }),
      ...(userMessage !== undefined && { error_user_msg: userMessage }),
      fbtrace_id: trace,
    },
  }
}

const parameter = (message: string, rest: Partial<GraphRefusal> = {}) =>
  new GraphError({ message: `(#100) ${message}`, code: 100, ...rest })

const badToken = (message: string, subcode?: number) => new GraphError({ message, code: 190, subcode })

const METHODS: Record<string, string> = { GET: 'get', HEAD: 'get', POST: 'post', DELETE: 'delete' }

/** The refusals of the Graph API by name, with the wording and the codes of the real network. */
export const refuse = {
  version: (latest: string) =>
    new GraphError({
      message: `(#2635) You are calling a deprecated version of the API. Please update to the latest version: ${latest}.`,
      code: 2635,
    }),
  unknownPath: (path: string) => new GraphError({ message: `Unknown path components: ${path}`, code: 2500 }),
  syntax: (message: string) => new GraphError({ message: `Syntax error "${message}"`, code: 2500 }),
  unknownObject: (method: string, id: string) =>
    new GraphError({
      message:
        `Unsupported ${METHODS[method] ?? 'get'} request. Object with ID '${id}' does not exist, cannot be loaded due ` +
        'to missing permissions, or does not support this operation',
      type: 'GraphMethodException',
      code: 100,
      subcode: 33,
    }),
  unknownField: (field: string, node: string) =>
    parameter(`Tried accessing nonexisting field (${field}) on node type (${node})`),
  parameter,

  noToken: () =>
    new GraphError({ message: 'An access token is required to request this resource.', code: 104, status: 401 }),
  unreadableToken: () => badToken('Invalid OAuth access token - Cannot parse access token'),
  badSignature: () => badToken('Invalid OAuth access token signature.'),
  expired: (expiredAt: number, now: number) =>
    badToken(
      `Error validating access token: Session has expired on ${spoken(expiredAt)}. The current time is ${spoken(now)}.`,
      463,
    ),
  passwordChanged: () =>
    badToken(
      'Error validating access token: The session has been invalidated because the user changed their password or ' +
        'the session was changed for security reasons.',
      460,
    ),
  appRemoved: (userId: string, appId: string) =>
    badToken(`Error validating access token: The user ${userId} has not authorized application ${appId}.`, 458),
  noRole: () => badToken('Error validating access token: The user must be an administrator of the page.', 492),
  pageTokenNeeded: () =>
    badToken('A Page access token is required for this call for the new Pages experience.', 2069032),
  proof: () => parameter('Invalid appsecret_proof provided in the API argument', { type: 'GraphMethodException' }),
  proofMissing: () =>
    parameter('API calls from the server require an appsecret_proof argument', { type: 'GraphMethodException' }),

  unknownApp: () =>
    new GraphError({
      message: 'Error validating application. Cannot get application info due to a system error.',
      code: 101,
    }),
  badSecret: () => new GraphError({ message: 'Error validating client secret.', code: 1, status: 400 }),
  badCode: () => new GraphError({ message: 'Invalid verification code format.', code: 100 }),
  codeExpired: () => new GraphError({ message: 'This authorization code has expired.', code: 100, subcode: 36007 }),
  otherRedirect: () =>
    new GraphError({
      message:
        'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in ' +
        'the OAuth dialog request',
      code: 100,
      subcode: 36008,
    }),
  codeUsed: () => new GraphError({ message: 'This authorization code has been used.', code: 100, subcode: 36009 }),

  readPermission: (scope: string) =>
    new GraphError({
      message:
        `(#10) This endpoint requires the '${scope}' permission or the 'Page Public Content Access' feature. ` +
        'Refer to the documentation of permissions.',
      code: 10,
    }),
  permission: (scopes: string[]) =>
    new GraphError({
      message: `(#200) Requires ${scopes.join(' and ')} permission${scopes.length > 1 ? 's' : ''} to manage the object`,
      code: 200,
    }),
  asPage: () =>
    new GraphError({ message: '(#200) Unpublished posts must be posted to a page as the page itself.', code: 200 }),
  task: (task: string) =>
    new GraphError({ message: `(#200) The user must have the ${task} task on this Page.`, code: 200 }),

  callLimit: (kind: 'user' | 'page') =>
    kind === 'page'
      ? new GraphError({ message: '(#32) Page request limit reached', code: 32, status: 400, transient: true })
      : new GraphError({ message: '(#17) User request limit reached', code: 17, status: 400, transient: true }),

  /** Each of the two networks has its own subcode for this. */
  window: (network: 'page' | 'photo') =>
    new GraphError({
      message: '(#10) This message is sent outside of allowed window.',
      code: 10,
      subcode: network === 'page' ? 2018278 : 2534022,
    }),
  tooOften: () => new GraphError({ message: '(#613) Calls to this api have exceeded the rate limit.', code: 613 }),
  noPerson: () => new GraphError({ message: '(#100) No matching user found', code: 100, subcode: 2018001 }),

  noContent: () =>
    new GraphError({
      message: 'Invalid parameter',
      code: 100,
      subcode: 1349125,
      transient: false,
      title: 'Missing message or attachment',
      userMessage: 'Missing message or attachment.',
    }),
  badLink: () =>
    new GraphError({
      message: 'Invalid parameter',
      code: 100,
      subcode: 2061006,
      transient: false,
      title: 'Invalid link',
      userMessage: 'The link is not a valid address.',
    }),
  duplicate: () =>
    new GraphError({
      message: '(#506) Duplicate status message',
      code: 506,
      subcode: 1455006,
      transient: false,
      title: 'Duplicate status update',
      userMessage:
        'This status update is identical to the last one you posted. Try posting something different, or delete your ' +
        'previous update.',
    }),
  photosPosted: () =>
    new GraphError({
      message: '(#100) These photos were already posted.',
      code: 100,
      subcode: 1366051,
      transient: false,
      title: 'Already posted',
      userMessage: 'These photos were already posted.',
    }),
  badPhoto: () =>
    new GraphError({
      message: '(#324) Missing or invalid image file',
      code: 324,
      subcode: 1366046,
      transient: false,
      title: "Can't read files",
      userMessage:
        "Your photos couldn't be uploaded. Photos should be smaller than 10 MB and saved as JPG, PNG, GIF, BMP or " +
        'TIFF files.',
    }),
  unfetched: (why: string) =>
    new GraphError({
      message: `(#324) Missing or invalid image file: the URL could not be fetched (${why})`,
      code: 324,
      subcode: 2069019,
      transient: false,
      title: 'Invalid file',
      userMessage: 'The URL of the photo could not be fetched.',
    }),
}

/** Returns the failure that a text requests. `had`: the effect happens anyway. */
export function askedFailure(text: string): { refusal: GraphError; had: boolean } | undefined {
  const code = /\[sim:fail (-?\d{1,7})\]/.exec(text)?.[1]
  return code === undefined ? undefined : { refusal: played(Number(code)), had: Number(code) === SENT_NEVERTHELESS }
}

/** The details of each code that a person may use in `[sim:fail …]`. Subcodes come with their code. */
const PLAYED: Record<number, Partial<GraphRefusal>> = {
  1: { message: 'An unknown error has occurred.', transient: true },
  2: { message: 'An unexpected error has occurred. Please retry your request later.', transient: true },
  4: { message: '(#4) Application request limit reached', transient: true },
  10: { message: '(#10) Application does not have permission for this action' },
  17: { message: '(#17) User request limit reached', transient: true },
  32: { message: '(#32) Page request limit reached', transient: true },
  100: { message: '(#100) Invalid parameter' },
  190: { message: 'Error validating access token: the session is invalid.', subcode: 467 },
  200: { message: '(#200) Permissions error' },
  341: { message: '(#341) Feed action request limit reached', transient: true },
  368: {
    message: 'The action attempted has been deemed abusive or is otherwise disallowed',
    subcode: 1390008,
    title: 'Action blocked',
    userMessage: 'You are temporarily blocked from posting.',
  },
  506: { message: '(#506) Duplicate status message', subcode: 1455006 },
  613: { message: '(#613) Calls to this api have exceeded the rate limit.', transient: true },
  80001: { message: '(#80001) There have been too many calls to this Page account.', transient: true },
  1609005: { message: '(#1609005) The link could not be read.' },
}

/** The subcode of an answer that reports a failure although the message was sent. */
const SENT_NEVERTHELESS = 1357046

/** Returns the refusal for a requested code, or for a subcode (seven digits, under code 100). */
export function played(code: number): GraphError {
  if (code === SENT_NEVERTHELESS)
    return new GraphError({ message: 'An unknown error occurred', code: 1, subcode: code })
  const known = PLAYED[code]
  if (known) return new GraphError({ message: `(#${code}) Refused`, code, ...known })
  const subcode = code >= 1_000_000 ? code : undefined
  return new GraphError({ message: `(#${subcode ? 100 : code}) Refused`, code: subcode ? 100 : code, subcode })
}

function spoken(at: number): string {
  const date = new Date(at).toUTCString()
  return `${date.slice(0, 3)}, ${date.slice(5, 25)} UTC`
}
