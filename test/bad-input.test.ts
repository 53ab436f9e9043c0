import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../src/channels/api.ts'
import type { MediaFile } from '../src/publishing/media/api.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { useProduct } from './fixtures.ts'
import { access } from './operations.ts'
import { long, sized } from './tier.ts'
import openapi from '../dist/openapi.json' with { type: 'json' }
import {
  call,
  connectPages,
  newPerson,
  PASSWORD,
  type Person,
  type Problem,
  untilStatus,
  uploadPicture,
} from './world.ts'

// Whatever a client sends, the answer follows the contract, is never a 5xx, and changes no row. Every operation of the
// description has an entry here: a new one without an entry fails.

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  maxLength?: number
  $ref?: string
}
interface Operation {
  operationId: string
  parameters?: { name: string; in: string; schema: Schema & { format?: string } }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods as unknown as Record<string, Operation>).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    ...operation,
  })),
)
type Named = (typeof operations)[number]

const { product, sql } = useProduct({ own: true })
let ann: Person
let bob: Person
let page: SocialAccount
let file: MediaFile
let draft: Post
let live: Post
let theirs: Record<
  'post' | 'file' | 'upload' | 'page' | 'workspace' | 'publication' | 'session' | 'notification',
  string
>

beforeAll(async () => {
  ann = await newPerson(product.url, 'Ann')
  await sql.query('update app_user set is_super_admin = true')
  bob = await newPerson(product.url, 'Bob')
  ;[page] = (await connectPages(ann, 'u1')) as [SocialAccount]
  file = await uploadPicture(ann)
  draft = await ann.must<Post>('POST', '/posts', { caption: 'A draft', targets: [page.id] })
  const sent = await ann.must<Post>('POST', '/posts', { caption: 'Live', targets: [page.id], action: 'publish' })
  live = await untilStatus(ann, sent.id, ['PUBLISHED'])
  const [bobsPage] = await connectPages(bob, 'u2')
  const bobsPost = await bob.must<Post>('POST', '/posts', { caption: 'Bob’s', targets: [bobsPage!.id] })
  theirs = {
    post: bobsPost.id,
    file: (await uploadPicture(bob)).id,
    upload: (await bob.must<{ id: string }>('POST', '/media/uploads', undefined, { 'upload-length': '9' })).id,
    page: bobsPage!.id,
    workspace: bob.workspaceId,
    session: (await bob.must<{ data: { id: string }[] }>('GET', '/api/v1/auth/sessions')).data[0]!.id,
    publication: bobsPost.publications[0]!.id,
    notification: randomUUID(),
  }
  await sql.query(`insert into notification (user_id, id, kind) values ($1, $2, 'security')`, [
    bob.session.user.id,
    theirs.notification,
  ])
})

/** A valid body for each operation, or null for an operation without a body. */
const bodies: Record<string, () => object | null> = {
  getHealth: () => null,
  getLive: () => null,
  getReady: () => null,
  getConfig: () => null,
  streamEvents: () => null,
  login: () => ({ email: ann.session.user.email, password: PASSWORD }),
  loginByPhone: () => ({ phone: '+491701234567', code: '000000' }),
  sendCode: () => ({ email: ann.session.user.email }),
  verifyCode: () => ({ email: ann.session.user.email, code: '000000' }),
  listSessions: () => null,
  endSession: () => null,
  endOtherSessions: () => null,
  listNotifications: () => null,
  readNotification: () => ({}),
  readNotifications: () => ({}),
  getNotificationPreferences: () => null,
  setNotificationPreferences: () => ({
    quietFrom: '22:00',
    quietUntil: '07:00',
    kinds: { post_failed: { mail: false } },
  }),
  refresh: () => ({}),
  logout: () => ({}),
  deleteWorkspace: () => null,
  restoreWorkspace: () => ({}),
  listAudit: () => null,
  exportAudit: () => null,
  listPlans: () => null,
  listUsage: () => null,
  getSubscription: () => null,
  changeSubscription: () => ({ plan: 'pro' }),
  getMe: () => null,
  changePassword: () => ({ currentPassword: PASSWORD, newPassword: PASSWORD }),
  forgotPassword: () => ({ email: ann.session.user.email }),
  resetPassword: () => ({ token: 'none', newPassword: PASSWORD }),
  listOtherWays: () => ({ token: 'none' }),
  endOtherWays: () => ({ token: 'none', ids: [] }),
  undoChange: () => ({ token: 'none' }),
  completeOnboarding: () => ({ name: 'Ann' }),
  updateMe: () => ({ name: 'Ann' }),
  register: () => ({ email: `new-${randomUUID()}@example.test`, password: PASSWORD, name: 'New' }),
  listWorkspaces: () => null,
  createWorkspace: () => ({ name: 'Another' }),
  getWorkspace: () => null,
  updateWorkspace: () => ({ name: 'Renamed' }),
  listMembers: () => null,
  inviteMember: () => ({ email: 'guest@example.test', role: 'EDITOR' }),
  updateMember: () => ({ role: 'EDITOR' }),
  removeMember: () => null,
  removeMemberHere: () => null,
  transferOwnership: () => ({ userId: ann.session.user.id }),
  listInvitations: () => null,
  resendInvitation: () => ({}),
  findInvitation: () => null,
  revokeInvitation: () => null,
  getInvitation: () => null,
  acceptInvitation: () => ({}),
  listSocialAccounts: () => null,
  updateSocialAccount: () => ({ paused: true }),
  deleteSocialAccount: () => null,
  getPostingOptions: () => null,
  examineSocialAccount: () => null,
  startSignIn: () => null,
  finishSignIn: () => null,
  getSignInMethods: () => null,
  removeIdentity: () => ({}),
  joinProvider: () => ({}),
  startConnection: () => null,
  finishConnection: () => null,
  uploadMedia: () => null,
  createUpload: () => null,
  getUpload: () => null,
  continueUpload: () => null,
  endUpload: () => null,
  listMedia: () => null,
  getMedia: () => null,
  updateMedia: () => ({ altText: 'A cup' }),
  deleteMedia: () => null,
  createPost: () => ({ caption: 'New', targets: [page.id], media: [file.id] }),
  listPosts: () => null,
  importPosts: () => ({ csv: 'caption\nNew' }),
  exportPosts: () => null,
  validatePost: () => ({ caption: 'New', targets: [page.id] }),
  getCalendar: () => null,
  getPost: () => null,
  updatePost: () => ({ caption: 'Changed' }),
  deletePost: () => null,
  schedulePost: () => ({ scheduledAt: '2099-01-01T00:00:00Z' }),
  cancelPost: () => ({}),
  unschedulePost: () => ({}),
  publishPost: () => ({}),
  restorePost: () => ({}),
  retryFirstComment: () => ({}),
  retryPublicationNow: () => ({}),
  stopPublication: () => ({}),
  backdatePost: () => ({ publishedAt: '2020-01-01T00:00:00Z' }),
  submitPost: () => ({}),
  queuePost: () => ({}),
  listLabels: () => null,
  createLabel: () => ({ name: randomUUID(), color: 'teal' }),
  updateLabel: () => ({ color: 'pink' }),
  deleteLabel: () => null,
  listHashtagSets: () => null,
  createHashtagSet: () => ({ name: randomUUID(), hashtags: ['#tea'] }),
  updateHashtagSet: () => ({ hashtags: ['#tea'] }),
  deleteHashtagSet: () => null,
  getOverview: () => null,
  listViews: () => null,
  createView: () => ({ name: randomUUID(), screen: 'posts', filters: { status: ['DRAFT'] } }),
  updateView: () => ({ filters: {} }),
  deleteView: () => null,
  getLinkCard: () => null,
  listTemplates: () => null,
  createTemplate: () => ({ name: randomUUID(), caption: 'New: {{product}}' }),
  updateTemplate: () => ({ caption: 'New' }),
  deleteTemplate: () => null,
  listBrandVoices: () => null,
  getBrandVoice: () => null,
  createBrandVoice: () => ({ name: randomUUID(), toneAttributes: ['warm'], vocabulary: { avoid: ['cheap'] } }),
  updateBrandVoice: () => ({ writingStyle: 'Short sentences.' }),
  deleteBrandVoice: () => null,
  generateCaption: () => ({ topic: 'New teas', hashtags: { min: 1, max: 3 }, cta: { style: 'urgent' }, count: 2 }),
  rewriteCaption: () => ({ caption: 'New teas', instruction: 'Shorter' }),
  generateHashtags: () => ({ caption: 'New teas', niche: 'Tea', count: 5 }),
  generateCta: () => ({ topic: 'New teas', style: 'urgent' }),
  translateCaption: () => ({ caption: 'New teas', targetLanguage: 'Arabic' }),
  generateImage: () => ({ prompt: 'A cup of tea', aspectRatio: '1:1' }),
  generateAltText: () => ({ mediaId: file.id, language: 'Arabic' }),
  suggestVoice: () => ({ samplePosts: ['New teas are here.'] }),
  listGenerations: () => null,
  getGeneration: () => null,
  cancelGeneration: () => ({}),
  acceptGeneration: () => ({ option: 0, postId: draft.id }),
  getPostTags: () => null,
  setPostTags: () => ({ topic: 'Bread' }),
  listSuggestions: () => null,
  refreshSuggestions: () => ({}),
  getSlots: () => null,
  setSlots: () => ({ slots: [{ day: 'monday', time: '09:00' }] }),
  listFreeSlots: () => null,
  listApprovals: () => null,
  approveRequest: () => ({}),
  rejectRequest: () => ({ reason: 'Softer' }),
  withdrawRequest: () => ({}),
  approvePost: () => ({}),
  rejectPost: () => ({ reason: 'Softer' }),
  listComments: () => null,
  addComment: () => ({ text: 'Softer', mentions: [] }),
  deleteComment: () => null,
  listVersions: () => null,
  listReviewLinks: () => null,
  addReviewLink: () => ({ name: 'The client', days: 3 }),
  revokeReviewLinks: () => null,
  listSharedReviewLinks: () => null,
  shareReviewLink: () => ({ postIds: [draft.id], name: 'The client', emails: [] }),
  endReviewLink: () => null,
  getReview: () => null,
  approveReview: () => ({ postVersion: 1 }),
  rejectReview: () => ({ postVersion: 1, reason: 'Softer' }),
  commentReview: () => ({ text: 'Softer' }),
  duplicatePost: () => ({}),
  listPublications: () => null,
  listPostEvents: () => null,
  listTrouble: () => null,
  retryPost: () => ({}),
  retryRemoval: () => ({}),
  listRemovals: () => null,
  resolvePublication: () => ({ outcome: 'not_live' }),
  listConversations: () => null,
  countConversations: () => null,
  getConversation: () => null,
  listMessages: () => null,
  updateConversation: () => ({ urgency: 'HIGH' }),
  createMessage: () => ({ text: 'Yes' }),
  retryMessage: () => ({}),
  resolveMessage: () => ({ outcome: 'not_live' }),
  hideMessage: () => ({}),
  unhideMessage: () => ({}),
  createNote: () => ({ text: 'Look' }),
  updateNote: () => ({ text: 'Look' }),
  deleteNote: () => null,
  assignConversation: () => ({ userId: null }),
  escalateConversation: () => ({ reason: 'Angry' }),
  closeConversation: () => ({}),
  reopenConversation: () => ({}),
  snoozeConversation: () => ({ until: '2099-01-01T00:00:00Z' }),
  seeConversation: () => ({ messageId: draft.id }),
  bulkConversations: () => ({ ids: [draft.id], close: true }),
  listFailedEvents: () => null,
  retryFailedEvent: () => ({}),
  listAudience: () => null,
  getCustomer: () => null,
  updateCustomer: () => ({ tags: ['wholesale'] }),
  listPairs: () => null,
  mergeCustomers: () => ({ with: randomUUID() }),
  unmergeCustomer: () => ({}),
  exportCustomer: () => null,
  listSegments: () => null,
  createSegment: () => ({ name: randomUUID(), filter: { field: 'tag', op: 'is', value: 'VIP' } }),
  countSegment: () => ({ filter: { field: 'tag', op: 'is', value: 'VIP' } }),
  getSegment: () => null,
  updateSegment: () => ({ name: randomUUID() }),
  deleteSegment: () => null,
  eraseCustomer: () => null,
  listEscalationRules: () => null,
  createEscalationRule: () => ({ keywords: ['refund'] }),
  updateEscalationRule: () => ({ keywords: ['refund'] }),
  deleteEscalationRule: () => null,
  getBotConfig: () => null,
  updateBotConfig: () => ({ maxAutoRepliesPerThread: 2 }),
  listDraftReplies: () => null,
  getDraftReply: () => null,
  approveDraftReply: () => ({ text: 'Yes' }),
  flagDraftReply: () => ({ reason: 'wrong', note: 'Not so' }),
  listSentReplies: () => null,
  checkSentReply: () => ({ flag: 'wrong' }),
  botConversation: () => ({ paused: true }),
  suggestReply: () => ({}),
  simulateReplies: () => ({ text: 'When are you open?' }),
  getSimulation: () => null,
  listChargedDecisions: () => null,
  getDecision: () => null,
  replayDecision: () => null,
  importKnowledge: () => ({ format: 'markdown', content: '# Open?\n\nDaily.' }),
  listKnowledgeGaps: () => null,
  findPassages: () => ({ text: 'When are you open?' }),
  listMemory: () => null,
  deleteMemory: () => null,
  listExperiments: () => null,
  createExperiment: () => ({ name: 'Tone', variantA: { name: 'Brief' }, variantB: { name: 'Warm' } }),
  getExperiment: () => null,
  updateExperiment: () => ({ name: 'Tone' }),
  deleteExperiment: () => null,
  getReplyStats: () => null,
  listPostMetrics: () => null,
  syncAccountNow: () => ({ accountId: page.id }),
  listPredictions: () => null,
  makePredictions: () => ({}),
  getPredictionAccuracy: () => null,
  getBestTimes: () => null,
  listReports: () => null,
  createReport: () => ({ name: 'Monthly', sections: ['overview'], range: 'last_month', mailTo: [ann.session.user.id] }),
  getReport: () => null,
  updateReport: () => ({ name: 'Weekly' }),
  deleteReport: () => null,
  previewReport: () => null,
  shareReport: () => ({ days: 30 }),
  resendReport: () => ({}),
  listReportSnapshots: () => null,
  getReportSnapshot: () => null,
  revokeReportSnapshot: () => null,
  getSharedReport: () => null,
  listABTests: () => null,
  createABTest: () => ({
    name: 'Links',
    accountId: page.id,
    kind: 'post',
    slot: 'weekday-08',
    trait: 'link',
    a: 'with a link',
    b: 'without a link',
    blocks: 8,
  }),
  getABTest: () => null,
  updateABTest: () => ({ name: 'Questions' }),
  deleteABTest: () => null,
  setABBlock: () => ({ firstPostId: null }),
  startABTest: () => ({}),
  stopABTest: () => ({}),
  planABTest: () => ({ accountId: page.id, kind: 'post', blocks: 8 }),
  listCompetitors: () => null,
  addCompetitor: () => ({ accountId: page.id, username: 'corner_shop' }),
  getCompetitor: () => null,
  removeCompetitor: () => null,
  listCompetitorSnapshots: () => null,
  compareCompetitors: () => null,
  getAnalyticsOverview: () => null,
  listAnalyticsPosts: () => null,
  getAnalyticsPost: () => null,
  listAnalyticsHours: () => null,
  listAnalyticsTags: () => null,
  listMetrics: () => null,
  exportAnalytics: () => null,
  getAttachment: () => null,
  listSavedReplies: () => null,
  createSavedReply: () => ({ name: 'Hours', text: 'Open daily' }),
  updateSavedReply: () => ({ text: 'Open daily' }),
  deleteSavedReply: () => null,
  listUsers: () => null,
  getUser: () => null,
  disableUser: () => ({}),
  enableUser: () => ({}),
  listAllWorkspaces: () => null,
  giveSubscription: () => ({ plan: 'pro' }),
  listAllPlans: () => null,
  changePlan: () => ({ quotas: { posts: 1 } }),
  listQueues: () => null,
  listFailed: () => null,
  retryQueue: () => ({}),
  retryJob: () => ({}),
  listAdminAudit: () => null,
}

/** The kind of resource that `{id}` names, by the start of the path. */
const kinds = [
  ['/api/v1/workspaces', 'workspace'],
  ['/api/v1/social-accounts', 'page'],
  ['/api/v1/media/uploads', 'upload'],
  ['/api/v1/media', 'file'],
  ['/api/v1/posts', 'post'],
  ['/api/v1/auth/sessions', 'session'],
  ['/api/v1/notifications', 'notification'],
] as const
const kindOf = ({ path }: Named) => kinds.find(([start]) => path.startsWith(start))?.[1]
const own = (kind: ReturnType<typeof kindOf>) =>
  ({
    workspace: ann.workspaceId,
    page: page.id,
    file: file.id,
    upload: randomUUID(),
    post: draft.id,
    session: randomUUID(),
    notification: randomUUID(),
  })[kind ?? 'post']

function pathOf(operation: Named, id = own(kindOf(operation)), publicationId = draft.publications[0]!.id): string {
  return operation.path
    .replace('{id}', id)
    .replace('{publicationId}', publicationId)
    .replace('{messageId}', randomUUID())
    .replace('{noteId}', randomUUID())
    .replace('{n}', '1')
    .replace('{network}', 'NET_PAGE')
    .replace('{userId}', bob.session.user.id)
    .replace('{memberId}', bob.session.user.id)
    .replace('{invitationId}', randomUUID())
    .replace('{token}', 'none')
    .replace('{plan}', 'none')
    .replace('{name}', 'publish')
    .replace('{job}', '0')
}

/**
 * Hashes all tables except those that change on their own: the figures of an account are read a minute after it was
 * connected.
 */
async function rows(): Promise<Record<string, string>> {
  const { rows: tables } = await sql.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
       and c.relname not in ('session', 'security_event', 'oauth_state', 'app_clock', 'migration', 'network_call', 'try_count', 'request_window', 'inbox_alive',
         'account_sync', 'account_metric', 'measured_post', 'network_user', 'post_tags') and c.relname not like 'post\\_metric%' order by 1`,
  )
  const hashes: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows: found } = await sql.query<{ text: string | null }>(
      `select string_agg(t::text, E'\\n' order by t::text) as text from ${name} t`,
    )
    hashes[name] = createHash('sha256')
      .update(found[0]?.text ?? '')
      .digest('hex')
  }
  return hashes
}

const codesOf = (problem: Problem) => (problem.errors ?? []).map(({ path, code }) => `${path} ${code}`)
const withBody = operations.filter(({ requestBody }) => requestBody?.content['application/json'])
const schemaOf = ({ requestBody }: Named) => requestBody?.content['application/json']?.schema ?? {}
const parts = (schema: Schema): Schema[] => (schema.anyOf ? schema.anyOf.flatMap(parts) : [schema])

/** Sends a request that must be refused, and checks that the refusal follows the contract. */
async function refused(operation: Named, body: unknown, headers?: Record<string, string>, path = pathOf(operation)) {
  const answer = await ann.call<Problem>(operation.method, path, body, headers)
  expect(answer.status, `${operation.operationId} ${JSON.stringify(answer.body)}`).toBeGreaterThanOrEqual(400)
  expect(answer.status).toBeLessThan(500)
  expect(answer.headers.get('content-type')).toContain('application/problem+json')
  expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'))
  return answer
}

let before: Record<string, string>
beforeAll(async () => {
  before = await rows()
})

test('every operation has an entry', () => {
  expect(Object.keys(bodies).toSorted()).toEqual(operations.map((each) => each.operationId).toSorted())
  for (const operation of withBody) expect(bodies[operation.operationId]?.(), operation.operationId).not.toBeNull()
})

const isOfWorkspace = ({ operationId }: Named) =>
  !['anybody', 'person', 'super admin'].includes(access[operationId]?.least ?? '')
const numbered = withBody.map((operation, n) => [operation.operationId, operation, n] as const)

describe.each(numbered)('%s', (id, operation, n) => {
  const valid = () => bodies[id]?.() ?? {}

  test('refuses malformed JSON, and JSON that is not an object', async () => {
    const json = { 'content-type': 'application/json' }
    for (const text of sized(['{"a":'], ['{"a":', '{a: 1}', 'undefined', '{"a": 1}}'])) {
      expect((await refused(operation, text, json)).body, text).toMatchObject({ status: 400, code: 'malformed_json' })
    }
    for (const text of sized(['[]'], ['[]', '"text"', '1', 'true'])) {
      expect((await refused(operation, text, json)).body, text).toMatchObject({
        status: 422,
        code: 'validation_failed',
      })
    }
    const nested = `${'{"a":'.repeat(25)}1${'}'.repeat(25)}`
    expect((await refused(operation, nested, json)).body).toMatchObject({ status: 400, code: 'malformed_request' })
  })

  // Both are refused in the same way for every operation.
  test.runIf(long || n % 8 === 0)('refuses another content type, and more than a megabyte', async () => {
    const text = await refused(operation, 'name=Ann', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(text.body).toMatchObject({ status: 415, code: 'unsupported_media_type' })
    const large = await refused(operation, JSON.stringify({ a: 'x'.repeat(1024 * 1024) }), {
      'content-type': 'application/json',
    })
    expect(large.body).toMatchObject({ status: 413, code: 'too_large' })
  })

  test('names an unknown field in its refusal', async () => {
    const { body } = await refused(operation, { ...valid(), 'sur/prise': 1 })
    expect(body.status).toBe(422)
    expect(codesOf(body)).toContain('/sur~1prise unknown_field')
  })

  test.runIf(isOfWorkspace(operation))('may repeat the workspace of the request, but not name another', async () => {
    const other = await refused(operation, { ...valid(), workspaceId: theirs.workspace })
    expect(other.body).toMatchObject({ status: 422, code: 'workspace_mismatch' })
    const same = await refused(operation, { ...valid(), workspaceId: ann.workspaceId, surprise: 1 })
    expect(codesOf(same.body)).toEqual(expect.arrayContaining(['/surprise unknown_field']))
    expect(codesOf(same.body).filter((code) => code.startsWith('/workspaceId'))).toEqual([])
  })

  test('refuses a value of the wrong type, a text that is too long and a text with NUL, and names the field', async () => {
    const fields = Object.entries(schemaOf(operation).properties ?? {}).map(([name, schema]) => ({
      name,
      schema,
      types: parts(schema).flatMap(({ type }) => type ?? []),
    }))
    // The next test covers read-only fields, which have no type.
    const typed = fields.filter(({ types }) => types.length > 0)
    for (const { name, schema, types } of typed.slice(0, sized(3, Infinity))) {
      const wrong = types.includes('boolean') ? 'no boolean' : true
      const found = await refused(operation, { ...valid(), [name]: wrong })
      expect(found.body.status, name).toBe(422)
      expect(
        found.body.errors?.some(({ path }) => path.startsWith(`/${name}`)),
        name,
      ).toBe(true)

      const longest = Math.max(...parts(schema).map(({ maxLength = 0 }) => maxLength))
      const texts = [
        ...(longest > 0 ? ['x'.repeat(longest + 1)] : []),
        ...(types.includes('string') ? ['a\u0000b'] : []),
      ]
      for (const text of texts) {
        const answer = await refused(operation, { ...valid(), [name]: text })
        expect(answer.body.status, `${name} ${text.length}`).toBe(422)
        expect(
          answer.body.errors?.some(({ path }) => path.startsWith(`/${name}`)),
          name,
        ).toBe(true)
      }
    }
  })
})

describe('foreign ids', () => {
  const named = operations.filter((operation) => operation.path.includes('{id}'))
  /** The queries that operations require. */
  const queries: Record<string, string> = { listCompetitorSnapshots: '?from=2026-01-01&to=2026-02-01' }

  test.each(named.map((operation) => [operation.operationId, operation] as const))(
    '%s: malformed, unknown and foreign ids all get the same 404, byte for byte',
    async (id, operation) => {
      const body = operation.requestBody ? (bodies[id]?.() ?? undefined) : undefined
      const kind = kindOf(operation) ?? 'post'
      const answers: string[] = []
      for (const other of ['1', 'null', randomUUID(), theirs[kind]]) {
        const answer = await refused(operation, body, {}, pathOf(operation, other) + (queries[id] ?? ''))
        expect(answer.body).toMatchObject({ status: 404, code: 'not_found' })
        answers.push(JSON.stringify({ ...answer.body, requestId: '' }))
      }
      expect(new Set(answers).size).toBe(1)
    },
  )

  test('a target of another post is not found', async () => {
    const operation = operations.find((each) => each.operationId === 'resolvePublication') as Named
    for (const other of ['1', randomUUID(), theirs.publication]) {
      const answer = await refused(operation, { outcome: 'live' }, {}, pathOf(operation, draft.id, other))
      expect(answer.body).toMatchObject({ status: 404, code: 'not_found' })
    }
  })

  test('a post cannot use an account or file of another workspace', async () => {
    for (const [field, value, at] of [
      ['targets', [theirs.page], '/targets/0'],
      ['media', [theirs.file], '/media/0'],
      ['mediaIds', [theirs.file], '/mediaIds/0'],
    ] as const) {
      for (const [method, path] of [
        ['POST', '/posts'],
        ['POST', '/posts/validate'],
      ]) {
        const answer = await ann.call<Problem>(method as string, path as string, { caption: 'x', [field]: value })
        expect(answer.body, field).toMatchObject({ status: 422, errors: [{ path: at, code: 'unknown_id' }] })
      }
    }
  })

  test('a body that names another workspace is refused', async () => {
    const answer = await ann.call<Problem>('POST', '/posts', { caption: 'x', workspaceId: theirs.workspace })
    expect(answer.body).toMatchObject({ status: 422, code: 'workspace_mismatch' })
  })
})

describe('a change', () => {
  /** Returns the resource as a person reads it. */
  async function read<T>(path: string, id: string): Promise<T> {
    if (path !== '/social-accounts/') return ann.must<T>('GET', path + id)
    const { data } = await ann.must<{ data: (T & { id: string })[] }>('GET', path.slice(0, -1))
    return data.find((each) => each.id === id) as T
  }
  const editable = [
    ['/posts/', () => draft.id],
    ['/media/', () => file.id],
    ['/social-accounts/', () => page.id],
    ['/workspaces/', () => ann.workspaceId],
  ] as const

  test.each(editable)('to an old version of %s is refused with the current version', async (path, id) => {
    const current = await read<{ version: number }>(path, id())
    const answer = await ann.call<Problem>('PATCH', path + id(), {}, { 'if-match': `"${current.version + 7}"` })
    expect(answer.body).toMatchObject({ status: 412, code: 'stale_version', current: current.version })
  })

  test.each(editable)(
    'to a read-only field of %s is refused; sending the unchanged resource back changes nothing',
    async (path, id) => {
      const whole = await read<Record<string, unknown> & { version: number }>(path, id())
      for (const [name, value] of [
        ['id', randomUUID()],
        ['createdAt', '2001-01-01T00:00:00.000Z'],
        ['version', whole.version + 1],
      ] as const) {
        const answer = await ann.call<Problem>('PATCH', path + id(), { ...whole, [name]: value })
        expect(codesOf(answer.body), name).toEqual([`/${name} read_only`])
      }
      const same = await ann.must<{ version: number }>('PATCH', path + id(), whole)
      expect(same.version).toBe(whole.version)
    },
  )
})

describe('an action in the wrong state', () => {
  test.each(['cancel', 'unschedule', 'retry'])(
    '%s of a draft is refused, with the state and the allowed actions',
    async (act) => {
      const answer = await ann.call<Problem>('POST', `/posts/${draft.id}/${act}`)
      expect(answer.body).toMatchObject({ status: 409, code: 'invalid_state', current: 'DRAFT' })
      expect(answer.body.allowed).toEqual(['edit', 'submit', 'schedule', 'publish', 'delete'])
    },
  )

  test.each(['cancel', 'unschedule', 'retry', 'publish', 'schedule'])('%s of a live post is refused', async (act) => {
    const body = act === 'schedule' ? { scheduledAt: '2099-01-01T00:00:00Z' } : undefined
    const answer = await ann.call<Problem>('POST', `/posts/${live.id}/${act}`, body)
    expect(answer.body).toMatchObject({ status: 409, code: 'already_published' })
  })

  test('a live target cannot be resolved, a live post edited, or an existing post restored', async () => {
    const [target] = live.publications
    const path = `/posts/${live.id}/publications/${target?.id}/resolve`
    const resolve = await ann.call<Problem>('POST', path, { outcome: 'not_live' })
    expect(resolve.body).toMatchObject({ status: 409, code: 'invalid_state', current: 'PUBLISHED' })
    const edit = await ann.call<Problem>('PATCH', `/posts/${live.id}`, { caption: 'Other' })
    expect(edit.body).toMatchObject({ status: 409, code: 'already_published' })
    expect((await ann.call<Problem>('POST', `/posts/${live.id}/restore`)).status).toBeGreaterThanOrEqual(400)
  })
})

describe('a query', () => {
  const lists = operations.filter(({ parameters }) => parameters?.some(({ name }) => name === 'limit'))
  const queries = sized(
    ['limit=101', 'cursor=garbage', 'surprise=1'],
    ['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'cursor=garbage', 'surprise=1'],
  )

  test('is bounded: page size, cursor and unknown parameters are checked', async () => {
    expect(lists.map((each) => each.operationId)).toEqual(expect.arrayContaining(['listPosts', 'listMedia']))
    for (const operation of lists) {
      const { operationId } = operation
      for (const query of queries) {
        const answer = await ann.call<Problem>('GET', `${pathOf(operation)}?${query}`)
        expect(answer.body, `${operationId} ${query}`).toMatchObject({ status: 422, code: 'validation_failed' })
      }
    }
  })

  test('with a time without an offset is refused', async () => {
    for (const path of ['/posts?from=2026-01-01T00:00:00', '/scheduler/calendar?from=2026-01-01&to=2026-01-02']) {
      expect((await ann.call<Problem>('GET', path)).body).toMatchObject({ status: 422 })
    }
    const body = { scheduledAt: '2099-01-01T00:00:00' }
    expect((await ann.call<Problem>('POST', `/posts/${draft.id}/schedule`, body)).body).toMatchObject({
      status: 422,
      errors: [{ path: '/scheduledAt' }],
    })
  })
})

test('a request without a valid token gets no answer about its body', async () => {
  const publicOnes = ['login', 'register', 'refresh', 'logout', 'forgotPassword', 'resetPassword']
  publicOnes.push('loginByPhone', 'sendCode', 'verifyCode', 'approveReview', 'rejectReview', 'commentReview')
  publicOnes.push('listOtherWays', 'endOtherWays', 'undoChange')
  for (const operation of withBody.filter((each) => !publicOnes.includes(each.operationId))) {
    const answer = await call<Problem>(product.url, operation.method, pathOf(operation), '{"broken', {
      'content-type': 'application/json',
    })
    expect(answer.body, operation.operationId).toMatchObject({ status: 401, code: 'unauthenticated' })
  }
})

test('no row has changed after all these requests', async () => {
  expect(await rows()).toEqual(before)
})
