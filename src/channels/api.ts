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
    summary: 'List accounts; filter by status to include disconnected ones',
    description: 'Disconnected accounts are listed only with the status DISCONNECTED.',
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
    summary: 'Pause or resume an account; while paused, its posts wait',
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
    summary: 'Start connecting accounts: redirect, or return the URL as JSON',
    description: 'Redirects to the consent page with 302, or returns its URL if `Accept` contains application/json.',
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
    summary: 'Finish connecting accounts and redirect to the app',
    description:
      'The consent page redirects the browser here. The response redirects into the app, with an error code in the parameter `error` if connecting failed.',
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
      .describe(
        '`unknown` if it couldn’t be checked. After access has ended, only `token` is `failed`, with the reason',
      ),
    detail: z.string(),
    fix: z.string().nullable(),
    act: z.enum(['reconnect', 'admin', 'operator', 'none']),
    failure: z.string().nullable().describe('The network’s refusal, as listed in docs/failures.md'),
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
    summary: 'Check an account’s connection with its network now',
    description: 'Each check finds what could keep the account from publishing, and says what to do.',
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
    summary: 'Get the posting options that the network allows an account now',
    description: 'Returns 404 if the network has no options to choose from.',
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
    summary: 'Disconnect an account and erase its tokens',
    description:
      'If posts still wait for the account, the request fails with `account_in_use`. With `confirm=true` it continues, and these posts fail. The history stays.',
    tags,
    params: IdParams,
    querystring: z.strictObject({ workspaceId: z.string().optional(), confirm: z.enum(['true', 'false']).optional() }),
    response: { 204: Empty },
  },
} as const satisfies Endpoint
