import * as z from 'zod'
import { Empty, type Endpoint, Id, IdParams, PageQuery, pageOf, patchOf, Timestamp } from '../core/http/endpoint.ts'
import { Platform } from '../networks/api.ts'

const tags = ['Social accounts'] as const

/** `missingScopes`: the permissions that the network's consent lacks, with what cannot work without them. */
export const SocialAccount = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    platform: Platform,
    externalId: z.string(),
    name: z.string(),
    username: z.string().nullable(),
    avatarUrl: z.string().nullable(),
    profileUrl: z.string().nullable(),
    status: z.enum(['CONNECTED', 'RECONNECT_NEEDED', 'DISCONNECTED']),
    paused: z.boolean(),
    tokenExpiresAt: Timestamp.nullable(),
    grantedScopes: z.array(z.string()),
    missingScopes: z.array(z.strictObject({ scope: z.string(), neededFor: z.string() })),
    connectedAt: Timestamp,
    version: z.int(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'SocialAccount' })
export type SocialAccount = z.infer<typeof SocialAccount>

export const AccountPatch = patchOf({ paused: z.boolean().optional() }, SocialAccount)
export type AccountPatch = z.infer<typeof AccountPatch>

export const listSocialAccounts = {
  method: 'GET',
  url: '/social-accounts',
  config: { gate: { role: 'VIEWER' } },
  schema: {
    operationId: 'listSocialAccounts',
    summary: 'The accounts of this workspace; disconnected ones only when asked for',
    tags,
    querystring: z.strictObject({
      workspaceId: z.string().optional(),
      status: z.enum(['CONNECTED', 'RECONNECT_NEEDED', 'DISCONNECTED']).optional(),
      ...PageQuery,
    }),
    response: { 200: pageOf(SocialAccount) },
  },
} as const satisfies Endpoint

export const updateSocialAccount = {
  method: 'PATCH',
  url: '/social-accounts/:id',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'updateSocialAccount',
    summary: 'Pause or resume an account: a paused one holds its posts',
    tags,
    params: IdParams,
    body: AccountPatch,
    response: { 200: SocialAccount },
  },
} as const satisfies Endpoint

export const startConnection = {
  method: 'GET',
  url: '/auth/oauth/:network(^[nN][eE][tT]_[a-zA-Z]+$)',
  // The operation checks the quota, since reconnecting takes no room.
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'startConnection',
    summary: 'Start connecting accounts: 302 to the consent page, or its address when JSON is asked for',
    tags,
    params: z.object({ network: z.string() }),
    querystring: z.strictObject({ redirect: z.string().max(500).optional(), workspaceId: z.string().optional() }),
    response: { 200: z.strictObject({ authorizationUrl: z.url() }), 302: z.null() },
  },
} as const satisfies Endpoint

export const finishConnection = {
  method: 'GET',
  url: '/auth/oauth/:network(^[nN][eE][tT]_[a-zA-Z]+$)/callback',
  config: { gate: 'public' },
  schema: {
    operationId: 'finishConnection',
    summary:
      'Where the consent page sends the browser back to: 302 into the app, with an error code there when it failed',
    tags,
    params: z.object({ network: z.string() }),
    querystring: z.looseObject({
      code: z.string().optional(),
      state: z.string().optional(),
      error: z.string().optional(),
    }),
    response: { 302: z.null() },
  },
} as const satisfies Endpoint

/** One check with its finding. `values` fill the texts of its code in other languages. */
const DoctorCheck = z
  .strictObject({
    code: z.enum(['account', 'publishing', 'app', 'token', 'expiry', 'scope', 'calls', 'posts', 'media', 'webhooks']),
    outcome: z
      .enum(['ok', 'warning', 'failed', 'unknown'])
      .describe('`unknown`: nobody could look; of an access that ended `token` alone is `failed`, and says why'),
    detail: z.string(),
    fix: z.string().nullable(),
    act: z.enum(['reconnect', 'admin', 'operator', 'none']),
    failure: z.string().nullable().describe('What the network refused, as in docs/failures.md'),
    values: z.record(z.string(), z.union([z.string(), z.number()])),
  })
  .meta({ id: 'DoctorCheck' })
export type DoctorCheck = z.infer<typeof DoctorCheck>

export const examineSocialAccount = {
  method: 'GET',
  url: '/social-accounts/:id/doctor',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'examineSocialAccount',
    summary: 'What stands between an account and its posts, asked from its network now, with what to do',
    tags,
    params: IdParams,
    response: { 200: z.strictObject({ checkedAt: Timestamp, checks: z.array(DoctorCheck) }) },
  },
} as const satisfies Endpoint

/** The options for a post that the owner of an account allows, as the network has them now. */
export const PostingOptions = z
  .strictObject({
    nickname: z.string(),
    privacyLevels: z.array(z.string()),
    commentDisabled: z.boolean(),
    duetDisabled: z.boolean(),
    stitchDisabled: z.boolean(),
    maxSeconds: z.number(),
  })
  .meta({ id: 'PostingOptions' })
export type PostingOptions = z.infer<typeof PostingOptions>

export const getPostingOptions = {
  method: 'GET',
  url: '/social-accounts/:id/posting-options',
  config: { gate: { role: 'EDITOR', feature: 'publishing' } },
  schema: {
    operationId: 'getPostingOptions',
    summary:
      'What may be chosen for a post on this account, asked from the network now; 404 where nothing is to choose',
    tags,
    params: IdParams,
    response: { 200: PostingOptions },
  },
} as const satisfies Endpoint

export const deleteSocialAccount = {
  method: 'DELETE',
  url: '/social-accounts/:id',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'deleteSocialAccount',
    summary: 'Disconnect an account: tokens are erased, history stays; open targets fail when confirmed',
    tags,
    params: IdParams,
    querystring: z.strictObject({ workspaceId: z.string().optional(), confirm: z.enum(['true', 'false']).optional() }),
    response: { 204: Empty },
  },
} as const satisfies Endpoint
