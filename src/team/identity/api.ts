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
      'When the code to confirm `email` was sent; null: none that still works',
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
const Address = z
  .string()
  .trim()
  .refine((text) => ASCII.test(text), {
    abort: true,
    error: 'An e-mail address in ASCII; an international domain in its xn-- form.',
  })
  .toLowerCase()
  .max(254)

export const Email = Address.pipe(z.email())

export const NewAccount = z.strictObject({
  email: Email.optional().describe('May be left out with an invitation, whose address it is'),
  password: z.string().max(1000).describe('10 to 128 characters, not among the common ones'),
  name: z.string().trim().max(100).optional(),
  timezone: z.string().max(64).optional().describe('IANA name; the first workspace takes it'),
  language: z.enum(LANGUAGES).optional().describe('Of the screens and letters; the first workspace takes it'),
  inviteToken: z.string().max(200).optional().describe('Joins that workspace instead of making one'),
})

export const register = {
  method: 'POST',
  url: '/auth/register',
  config: { gate: 'public', ownOrigin: true },
  schema: {
    operationId: 'register',
    summary: 'Create an account with its first workspace, or in the one that it is invited to',
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
    summary: 'Sign in with e-mail and password',
    tags,
    body: z.strictObject({ email: Address, password: z.string().max(1000) }),
    response: { 200: Session },
  },
} as const satisfies Endpoint

const Phone = z.string().trim().max(40).describe('In international form, such as +49 170 1234567')
const Code = z.string().trim().max(20).describe('The six digits')
const Purpose = z.enum(['login', 'verify']).optional().describe('`verify` when signed in, else `login`')

export const loginByPhone = {
  method: 'POST',
  url: '/auth/login/phone',
  config: { gate: 'public', ownOrigin: true },
  schema: {
    operationId: 'loginByPhone',
    summary: 'Sign in with a phone number and the code that was sent there; a new number becomes an account',
    tags,
    body: z.strictObject({
      phone: Phone,
      code: Code,
      timezone: z.string().max(64).optional().describe('Of a new account: IANA name'),
      language: z.enum(LANGUAGES).optional().describe('Of a new account'),
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
    summary: 'Send a one-time code to an e-mail address or a phone',
    tags,
    body: z.strictObject({
      email: Email.optional().describe('Either this or `phone`'),
      phone: Phone.optional(),
      purpose: Purpose,
      language: z.enum(LANGUAGES).optional().describe('Of a message to somebody who has no account yet'),
    }),
    response: {
      202: z
        .strictObject({ expiresInSeconds: z.int(), resendAfterSeconds: z.int() })
        .describe('Taken, whether or not there is such an account'),
    },
  },
} as const satisfies Endpoint

export const verifyCode = {
  method: 'POST',
  url: '/auth/otp/verify',
  config: { gate: 'either', ownOrigin: true },
  schema: {
    operationId: 'verifyCode',
    summary: 'Show a one-time code: signed in it confirms and attaches the address or number, else it signs in',
    tags,
    body: z.strictObject({
      email: Email.optional().describe('Either this or `phone`'),
      phone: Phone.optional(),
      code: Code,
      purpose: Purpose,
      currentPassword: z
        .string()
        .max(1000)
        .optional()
        .describe(
          'Signed in, to attach or replace an address or number: needed when the sign-in is older than 15 minutes',
        ),
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
    place: z.string().nullable().describe('The network address of the sign-in'),
    method: z.enum(SIGN_IN_METHODS),
    createdAt: Timestamp,
    lastUsedAt: Timestamp,
    current: z.boolean().describe('The session of this request'),
  })
  .meta({ id: 'SignIn' })
export type SignIn = z.infer<typeof SignIn>

export const listSessions = {
  method: 'GET',
  url: '/auth/sessions',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'listSessions',
    summary: 'Where one is signed in, the last used first',
    tags,
    response: { 200: pageOf(SignIn) },
  },
} as const satisfies Endpoint

export const endSession = {
  method: 'DELETE',
  url: '/auth/sessions/:id',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'endSession',
    summary: 'End one of one’s sessions; its very next request is refused',
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
    summary: 'End all of one’s sessions but this one',
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
    summary: 'A new access token for the refresh cookie, which is rotated',
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
    summary: 'End the session of the cookie or of the access token',
    tags,
    body: NoBody,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const getMe = {
  method: 'GET',
  url: '/auth/me',
  config: { gate: 'signed-in' },
  schema: { operationId: 'getMe', summary: 'Who is signed in', tags, response: { 200: Profile } },
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
    summary: 'Change name, language, zone or default workspace',
    tags,
    body: ProfilePatch,
    response: { 200: Profile },
  },
} as const satisfies Endpoint

export const PROVIDERS = ['IDP_A', 'IDP_B'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** A provider by the last letter of its name. */
const ProviderParams = z.object({ letter: z.string().describe('A or B') })

export const startSignIn = {
  method: 'GET',
  url: '/auth/oauth/IDP_:letter',
  config: { gate: 'either' },
  schema: {
    operationId: 'startSignIn',
    summary:
      'Start signing in by an identity provider, or, signed in within 15 minutes, joining one: 302 to it, or its address when JSON is asked for',
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
    summary: 'Start joining an identity provider to the account, with the password when the sign-in is not recent',
    tags,
    params: ProviderParams,
    body: z.strictObject({
      redirect: z.string().max(500).optional(),
      currentPassword: z.string().max(1000).optional().describe('Needed when the sign-in is older than 15 minutes'),
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
    summary:
      'Where the identity provider sends the browser back to: 302 into the app, with a session, or with an error code there',
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
        lastUsedAt: Timestamp.nullable().describe('null: it was joined and has signed nobody in yet'),
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
    summary: 'The ways in which the caller can sign in',
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
    summary:
      'Take an identity provider away from the account, unless it is the last way in, with the password when the sign-in is not recent; its sessions end',
    tags,
    params: IdParams,
    body: z
      .strictObject({
        currentPassword: z.string().max(1000).optional().describe('Needed when the sign-in is older than 15 minutes'),
      })
      .optional(),
    response: { 204: Empty },
  },
} as const satisfies Endpoint

const NewPassword = z.string().max(1000).describe('10 to 128 characters, not among the common ones')

export const changePassword = {
  method: 'POST',
  url: '/auth/change-password',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'changePassword',
    summary: 'Set another password; every other session ends',
    tags,
    body: z.strictObject({
      currentPassword: z
        .string()
        .max(1000)
        .optional()
        .describe('Not needed when there is none yet and the sign-in is younger than 15 minutes'),
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
    summary: 'Mail a link for a new password, if the address has an account',
    tags,
    body: z.strictObject({ email: Email }),
    response: { 202: z.strictObject({}).describe('Taken, whether or not there is such an account') },
  },
} as const satisfies Endpoint

export const resetPassword = {
  method: 'POST',
  url: '/auth/reset-password',
  config: { gate: 'public' },
  schema: {
    operationId: 'resetPassword',
    summary: 'Set a new password by the token that was mailed; every session ends',
    tags,
    body: z.strictObject({
      token: z.string().max(200).describe('Single use, 30 minutes'),
      newPassword: NewPassword.optional(),
      password: NewPassword.optional().describe('Another name of newPassword'),
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
    detail: z.string().nullable().describe('The last digits of the phone number, or the address at the provider'),
  })
  .meta({ id: 'OtherWay' })
export type OtherWay = z.infer<typeof OtherWay>

export const listOtherWays = {
  method: 'POST',
  url: '/auth/reset-password/ways',
  config: { gate: 'public' },
  schema: {
    operationId: 'listOtherWays',
    summary: 'What else opens the account whose password this token has just set',
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
    summary: 'Take ways into the account away, by the token that has just set its password; their sessions end',
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
    summary:
      'Restore the ways into an account as they were before the oldest change of the last 7 days, by a token that was mailed or texted; every session ends and the password is removed',
    tags,
    body: z.strictObject({ token: Token.describe('Single use, 7 days') }),
    response: {
      200: Session.describe('Undone. Another account has proved the address or number: this link opens the account'),
      204: Empty,
    },
  },
} as const satisfies Endpoint
