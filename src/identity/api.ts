import * as z from 'zod'
import { type Endpoint, Empty, Id, NoBody, patchOf, ROLES, Timestamp } from '../http/endpoint.ts'

const tags = ['Identity'] as const

/** The languages that people can choose. */
export const LANGUAGES = ['en', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

export const Membership = z
  .strictObject({ id: Id, name: z.string(), role: z.enum(ROLES), plan: z.string(), features: z.array(z.string()) })
  .meta({ id: 'Membership' })

/** The signed-in person and the workspaces that they belong to. */
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
    phoneConfirmed: z.boolean(),
    onboardedAt: Timestamp.nullable(),
    isSuperAdmin: z.boolean(),
    defaultWorkspaceId: Id.nullable(),
    workspaces: z.array(Membership),
  })
  .meta({ id: 'Profile' })
export type Profile = z.infer<typeof Profile>

/** A session: the access token lives `expiresIn` seconds; the refresh token is in the httpOnly cookie alone. */
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

const Email = z.string().trim().toLowerCase().max(254).pipe(z.email())

export const NewAccount = z.strictObject({
  email: Email,
  password: z.string().max(1000).describe('10 to 128 characters, not among the common ones'),
  name: z.string().trim().max(100).optional(),
  timezone: z.string().max(64).optional().describe('IANA name; the first workspace takes it'),
  language: z.enum(LANGUAGES).optional().describe('Of the screens and letters; the first workspace takes it'),
})

export const register = {
  method: 'POST',
  url: '/auth/register',
  config: { gate: 'public', ownOrigin: true },
  schema: {
    operationId: 'register',
    summary: 'Create an account and its first workspace',
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
    body: z.strictObject({ email: z.string().trim().toLowerCase().max(254), password: z.string().max(1000) }),
    response: { 200: Session },
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
