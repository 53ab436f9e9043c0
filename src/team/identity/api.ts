import * as z from 'zod'
import {
  type Endpoint,
  Empty,
  Id,
  IdParams,
  NoBody,
  pageOf,
  patchOf,
  ROLES,
  Timestamp,
  PageQuery,
} from '../../core/http/endpoint.ts'

const tags = ['Identity'] as const

/** The languages that people can choose. */
export const LANGUAGES = ['en', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

/** The ways to sign in. */
export const SIGN_IN_METHODS = ['password', 'phone', 'email_code', 'IDP_A', 'IDP_B', 'invitation'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

export const Membership = z
  .strictObject({ id: Id, name: z.string(), role: z.enum(ROLES), plan: z.string(), features: z.array(z.string()) })
  .meta({ id: 'Membership' })

/** The signed-in person and their workspaces. */
export const Profile = z
  .strictObject({
    id: Id,
    email: z.string().nullable(),
    phone: z.string().nullable(),
    name: z.string(),
    avatarUrl: z.string().nullable(),
    language: z.string(),
    timezone: z.string(),
    emailConfirmed: z.boolean(),
    emailCodeSentAt: Timestamp.nullable().describe(
      'When the current code to confirm `email` was sent. Null if there is no valid code',
    ),
    phoneConfirmed: z.boolean(),
    onboardedAt: Timestamp.nullable(),
    isSuperAdmin: z.boolean(),
    defaultWorkspaceId: Id.nullable(),
    workspaces: z.array(Membership),
  })
  .meta({ id: 'Profile' })
export type Profile = z.infer<typeof Profile>

/** A session. The access token lives `expiresIn` seconds; the refresh token is only in the httpOnly cookie. */
export const Session = z
  .strictObject({
    user: Profile,
    accessToken: z.string(),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int(),
    workspaces: z.array(Membership),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

const ASCII = /^[\x20-\x7e]*$/

/** Checked before lowercasing: the Kelvin sign would become a k and give another person's address. */
export const Address = z
  .string()
  .trim()
  .refine((text) => ASCII.test(text), {
    abort: true,
    error: 'Enter the email address in ASCII, with an international domain in its xn-- form.',
    params: { code: 'email_ascii' },
  })
  .toLowerCase()
  .max(254)

export const Email = Address.pipe(z.email())

export const NewAccount = z.strictObject({
  email: Email.optional().describe('Optional with `inviteToken`, which sets the address'),
  password: z.string().max(1000).describe('10 to 128 characters. Common passwords are refused'),
  name: z.string().trim().max(100).optional(),
  timezone: z.string().max(64).optional().describe('IANA time zone name, also for the first workspace. Default: UTC'),
  language: z
    .enum(LANGUAGES)
    .optional()
    .describe('Language of the app and emails, also for the first workspace. Default: en'),
  inviteToken: z
    .string()
    .max(200)
    .optional()
    .describe('Joins the workspace of this invitation instead of creating one'),
})

export const register = {
  method: 'POST',
  url: '/auth/register',
  config: { gate: 'public', ownOrigin: true },
  schema: {
    operationId: 'register',
    summary: 'Create an account with a workspace, or join by invitation',
    tags,
    body: NewAccount,
    response: { 201: Session },
  },
} as const satisfies Endpoint

export const login = {
  method: 'POST',
  url: '/auth/login',
  config: { gate: 'public', ownOrigin: true },
  schema: {
    operationId: 'login',
    summary: 'Sign in with email and password',
    tags,
    body: z.strictObject({ email: Address, password: z.string().max(1000) }),
    response: { 200: Session },
  },
} as const satisfies Endpoint

const Phone = z.string().trim().max(40).describe('In international format, such as +1 202 555 0142')
const Code = z.string().trim().max(20).describe('The 6-digit code')
const Purpose = z.enum(['login', 'verify']).optional().describe('Default: `verify` if signed in, otherwise `login`')

export const loginByPhone = {
  method: 'POST',
  url: '/auth/login/phone',
  config: { gate: 'public', ownOrigin: true },
  schema: {
    operationId: 'loginByPhone',
    summary: 'Sign in or create an account with a phone number and code',
    tags,
    body: z.strictObject({
      phone: Phone,
      code: Code,
      timezone: z.string().max(64).optional().describe('IANA time zone name of a new account'),
      language: z.enum(LANGUAGES).optional().describe('Language of a new account'),
    }),
    response: { 200: Session },
  },
} as const satisfies Endpoint

export const sendCode = {
  method: 'POST',
  url: '/auth/otp/send',
  config: { gate: 'either' },
  schema: {
    operationId: 'sendCode',
    summary: 'Send a one-time code by email or text message',
    tags,
    body: z.strictObject({
      email: Email.optional().describe('Either this or `phone` is required, not both'),
      phone: Phone.optional(),
      purpose: Purpose,
      language: z.enum(LANGUAGES).optional().describe('Language of the message if the recipient has no account yet'),
    }),
    response: {
      202: z
        .strictObject({ expiresInSeconds: z.int(), resendAfterSeconds: z.int() })
        .describe('Accepted. The response doesn’t reveal whether the account exists'),
    },
  },
} as const satisfies Endpoint

export const verifyCode = {
  method: 'POST',
  url: '/auth/otp/verify',
  config: { gate: 'either', ownOrigin: true },
  schema: {
    operationId: 'verifyCode',
    summary: 'Sign in or confirm an email address or phone with a code',
    description:
      'If you’re signed in, the code confirms the address or number and adds it to your account. Otherwise it signs you in.',
    tags,
    body: z.strictObject({
      email: Email.optional().describe('Either this or `phone` is required, not both'),
      phone: Phone.optional(),
      code: Code,
      purpose: Purpose,
      currentPassword: z
        .string()
        .max(1000)
        .optional()
        .describe('Required to add or replace an address or number if the sign-in is older than 15 minutes'),
    }),
    response: {
      200: z.union([
        z.strictObject({ verified: z.literal(true), user: Profile }),
        z.strictObject({ verified: z.literal(true), ...Session.shape }),
      ]),
    },
  },
} as const satisfies Endpoint

const SignIn = z
  .strictObject({
    id: Id,
    device: z.strictObject({ browser: z.string().nullable(), system: z.string().nullable() }),
    place: z.string().nullable().describe('IP address of the sign-in'),
    method: z.enum(SIGN_IN_METHODS),
    createdAt: Timestamp,
    lastUsedAt: Timestamp,
    current: z.boolean().describe('Whether this is the session of the current request'),
  })
  .meta({ id: 'SignIn' })
export type SignIn = z.infer<typeof SignIn>

export const listSessions = {
  method: 'GET',
  url: '/auth/sessions',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'listSessions',
    summary: 'List your sessions, the current one first, then most recently used first',
    tags,
    querystring: z.strictObject(PageQuery),
    response: { 200: pageOf(SignIn) },
  },
} as const satisfies Endpoint

export const endSession = {
  method: 'DELETE',
  url: '/auth/sessions/:id',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'endSession',
    summary: 'End one of your sessions immediately',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const endOtherSessions = {
  method: 'DELETE',
  url: '/auth/sessions',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'endOtherSessions',
    summary: 'End all your other sessions',
    tags,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const refresh = {
  method: 'POST',
  url: '/auth/refresh',
  config: { gate: 'public', ownOrigin: true },
  schema: {
    operationId: 'refresh',
    summary: 'Refresh the access token and rotate the refresh cookie',
    tags,
    body: NoBody,
    response: { 200: Session },
  },
} as const satisfies Endpoint

export const logout = {
  method: 'POST',
  url: '/auth/logout',
  config: { gate: 'public', ownOrigin: true },
  schema: {
    operationId: 'logout',
    summary: 'End the session of the refresh cookie or access token',
    tags,
    body: NoBody,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const getMe = {
  method: 'GET',
  url: '/auth/me',
  config: { gate: 'signed-in' },
  schema: { operationId: 'getMe', summary: 'Get the signed-in user', tags, response: { 200: Profile } },
} as const satisfies Endpoint

export const ProfilePatch = patchOf(
  {
    name: z.string().trim().max(100).optional(),
    language: z.enum(LANGUAGES).optional(),
    timezone: z.string().max(64).optional(),
    defaultWorkspaceId: Id.optional(),
  },
  Profile,
)
export type ProfilePatch = z.infer<typeof ProfilePatch>

export const updateMe = {
  method: 'PATCH',
  url: '/auth/me',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'updateMe',
    summary: 'Update your name, language, time zone or default workspace',
    tags,
    body: ProfilePatch,
    response: { 200: Profile },
  },
} as const satisfies Endpoint

export const PROVIDERS = ['IDP_A', 'IDP_B'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** A provider by the last letter of its name. */
const ProviderParams = z.object({ letter: z.string().describe('Last letter of the provider name: A or B') })

export const startSignIn = {
  method: 'GET',
  url: '/auth/oauth/IDP_:letter',
  config: { gate: 'either' },
  schema: {
    operationId: 'startSignIn',
    summary: 'Start a provider sign-in: redirect, or return its URL as JSON',
    description:
      'Redirects with 302, or returns the URL if `Accept` contains application/json. If you’re signed in, the provider is added to your account, which requires a sign-in within the last 15 minutes.',
    tags,
    params: ProviderParams,
    querystring: z.strictObject({ redirect: z.string().max(500).optional() }),
    response: { 200: z.strictObject({ authorizationUrl: z.url() }), 302: z.null() },
  },
} as const satisfies Endpoint

export const joinProvider = {
  method: 'POST',
  url: '/auth/oauth/IDP_:letter',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'joinProvider',
    summary: 'Start adding an identity provider to your account',
    description:
      'The provider is added after you sign in there. If your own sign-in is older than 15 minutes, your password is required.',
    tags,
    params: ProviderParams,
    body: z.strictObject({
      redirect: z.string().max(500).optional(),
      currentPassword: z.string().max(1000).optional().describe('Required if the sign-in is older than 15 minutes'),
    }),
    response: { 200: z.strictObject({ authorizationUrl: z.url() }) },
  },
} as const satisfies Endpoint

export const finishSignIn = {
  method: 'GET',
  url: '/auth/oauth/IDP_:letter/callback',
  config: { gate: 'public' },
  schema: {
    operationId: 'finishSignIn',
    summary: 'Finish a provider sign-in and redirect to the app',
    description:
      'The provider redirects the browser here. The response redirects into the app with a session, or with an error code in the parameter `error`.',
    tags,
    params: ProviderParams,
    querystring: z.looseObject({}),
    response: { 302: z.null() },
  },
} as const satisfies Endpoint

/** The ways into an account. An address or number counts only when confirmed. */
export const SignInMethods = z
  .strictObject({
    password: z.boolean(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    identities: z.array(
      z.strictObject({
        id: Id,
        provider: z.enum(PROVIDERS),
        email: z.string().nullable(),
        createdAt: Timestamp,
        lastUsedAt: Timestamp.nullable().describe('Null if it has never been used to sign in'),
      }),
    ),
  })
  .meta({ id: 'SignInMethods' })
export type SignInMethods = z.infer<typeof SignInMethods>

export const getSignInMethods = {
  method: 'GET',
  url: '/auth/methods',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'getSignInMethods',
    summary: 'Get your ways to sign in',
    tags,
    response: { 200: SignInMethods },
  },
} as const satisfies Endpoint

export const removeIdentity = {
  method: 'DELETE',
  url: '/auth/methods/:id',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'removeIdentity',
    summary: 'Remove an identity provider and end sessions that used it',
    description:
      'The last way to sign in can’t be removed. If your sign-in is older than 15 minutes, your password is required.',
    tags,
    params: IdParams,
    body: z
      .strictObject({
        currentPassword: z.string().max(1000).optional().describe('Required if the sign-in is older than 15 minutes'),
      })
      .optional(),
    response: { 204: Empty },
  },
} as const satisfies Endpoint

const NewPassword = z.string().max(1000).describe('10 to 128 characters. Common passwords are refused')

export const changePassword = {
  method: 'POST',
  url: '/auth/change-password',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'changePassword',
    summary: 'Set a new password and end all other sessions',
    tags,
    body: z.strictObject({
      currentPassword: z
        .string()
        .max(1000)
        .optional()
        .describe('Optional if there is no password yet and the sign-in is less than 15 minutes old'),
      newPassword: NewPassword,
    }),
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const forgotPassword = {
  method: 'POST',
  url: '/auth/forgot-password',
  config: { gate: 'public' },
  schema: {
    operationId: 'forgotPassword',
    summary: 'Email a password reset link if the address has an account',
    tags,
    body: z.strictObject({ email: Email }),
    response: { 202: z.strictObject({}).describe('Accepted. The response doesn’t reveal whether the account exists') },
  },
} as const satisfies Endpoint

export const resetPassword = {
  method: 'POST',
  url: '/auth/reset-password',
  config: { gate: 'public' },
  schema: {
    operationId: 'resetPassword',
    summary: 'Reset the password with an emailed token and end all sessions',
    tags,
    body: z.strictObject({
      token: z.string().max(200).describe('Works once, within 30 minutes'),
      newPassword: NewPassword.optional(),
      password: NewPassword.optional().describe('Alias of `newPassword`'),
    }),
    response: { 204: Empty },
  },
} as const satisfies Endpoint

const Token = z.string().max(200)

/** The ways into an account besides its password and address. */
export const OtherWay = z
  .strictObject({
    id: z.string(),
    kind: z.enum(['phone', ...PROVIDERS]),
    detail: z.string().nullable().describe('Last digits of the phone number, or the email address at the provider'),
  })
  .meta({ id: 'OtherWay' })
export type OtherWay = z.infer<typeof OtherWay>

export const listOtherWays = {
  method: 'POST',
  url: '/auth/reset-password/ways',
  config: { gate: 'public' },
  schema: {
    operationId: 'listOtherWays',
    summary: 'List the other ways to sign in after a password reset',
    tags,
    body: z.strictObject({ token: Token }),
    response: { 200: z.strictObject({ data: z.array(OtherWay) }) },
  },
} as const satisfies Endpoint

export const endOtherWays = {
  method: 'POST',
  url: '/auth/reset-password/ways/end',
  config: { gate: 'public' },
  schema: {
    operationId: 'endOtherWays',
    summary: 'Remove other ways to sign in, and their sessions, after a reset',
    tags,
    body: z.strictObject({ token: Token, ids: z.array(z.string().max(40)).max(100) }),
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const undoChange = {
  method: 'POST',
  url: '/auth/undo',
  config: { gate: 'public', ownOrigin: true },
  schema: {
    operationId: 'undoChange',
    summary: 'Undo recent sign-in changes, end all sessions, remove the password',
    description:
      'Restores the ways to sign in as they were before the oldest change of the last 7 days. All sessions end, and the password is removed.',
    tags,
    body: z.strictObject({
      token: Token.describe('From the email or text message about the change. Works once, within 7 days'),
    }),
    response: {
      200: Session.describe(
        'Undone. Includes a session because another account has since confirmed the previous address or number',
      ),
      204: Empty,
    },
  },
} as const satisfies Endpoint
