import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { ROLES, type Role } from '../src/core/http/endpoint.ts'
import { useProduct } from './fixtures.ts'
import { fillTenant, type Kind } from './tenant.ts'
import { long } from './tier.ts'
import { type Operation, operations, pathWith, type Schema, takesJson } from './operations.ts'
import { asPerson, newPerson, type Person } from './world.ts'

// Calls every operation in every role, with another tenant's ids in every place that takes an id. The answer equals,
// byte for byte, the one for an unknown id, and no row of the other tenant changes. The description lists the places,
// and the table below gives the kind of each, so that a new operation, or a new place for an id, fails until it has an
// entry.

interface Row {
  path?: Record<string, Kind>
  query?: Record<string, Kind>
  /** By the path to the value; `*` is an item of a list. */
  body?: Record<string, Kind>
  /** Further fields that the body or the query requires. */
  with?: object
  range?: string
}

const none: Row = {}
const thread: Row = { path: { id: 'thread' } }
const messageOfThread: Row = { path: { id: 'thread', messageId: 'message' } }
const post: Row = { path: { id: 'post' } }
const approval: Row = { path: { id: 'approval' } }
const file: Row = { path: { id: 'file' } }
const upload: Row = { path: { id: 'upload' } }
const account: Row = { path: { id: 'account' } }
const generation: Row = { path: { id: 'generation' } }
const workspace: Row = { path: { id: 'workspace' } }
const member: Row = { path: { id: 'workspace', userId: 'user' } }
const invitation: Row = { path: { id: 'workspace', invitationId: 'invitation' } }
const content: Record<string, Kind> = {
  'targets/*': 'account',
  'labels/*': 'label',
  'labels/*/id': 'label',
  'media/*': 'file',
  'media/*/mediaFileId': 'file',
  'mediaIds/*': 'file',
}
const filters: Record<string, Kind> = {
  'filters/accountId': 'account',
  'filters/mediaFileId': 'file',
  'filters/label/*': 'label',
}
const calendar = 'from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z'
const period: Row = {
  query: { accountId: 'account', workspaceId: 'workspace' },
  range: 'from=2026-01-01&to=2026-01-31',
}

const rows: Record<string, Row> = {
  getHealth: none,
  getLive: none,
  getReady: none,
  getConfig: none,
  streamEvents: workspace,

  register: none,
  login: none,
  loginByPhone: none,
  sendCode: none,
  verifyCode: none,
  refresh: none,
  logout: none,
  forgotPassword: none,
  resetPassword: none,
  listOtherWays: none,
  endOtherWays: none,
  undoChange: none,
  startSignIn: none,
  joinProvider: none,
  finishSignIn: none,
  getMe: none,
  updateMe: { body: { id: 'user', defaultWorkspaceId: 'workspace' } },
  changePassword: none,
  completeOnboarding: none,
  listSessions: none,
  endSession: { path: { id: 'session' } },
  endOtherSessions: none,
  getSignInMethods: none,
  removeIdentity: { path: { id: 'identity' } },
  listNotifications: none,
  readNotification: { path: { id: 'notification' } },
  readNotifications: { body: { upTo: 'notification' } },
  getNotificationPreferences: none,
  setNotificationPreferences: none,

  listWorkspaces: none,
  createWorkspace: none,
  getWorkspace: workspace,
  updateWorkspace: { ...workspace, body: { id: 'workspace' }, with: { name: 'Taken' } },
  deleteWorkspace: { ...workspace, range: 'confirmName=Taken' },
  restoreWorkspace: workspace,
  listMembers: workspace,
  inviteMember: { ...workspace, with: { email: 'guest@example.test', role: 'VIEWER' } },
  updateMember: { ...member, with: { role: 'CLIENT' } },
  removeMember: member,
  removeMemberHere: { path: { memberId: 'user' } },
  transferOwnership: { ...workspace, body: { userId: 'user' } },
  listInvitations: workspace,
  resendInvitation: invitation,
  findInvitation: invitation,
  revokeInvitation: invitation,
  getInvitation: none,
  acceptInvitation: none,

  listAudit: { query: { actorId: 'user', workspaceId: 'workspace' } },
  exportAudit: { query: { actorId: 'user', workspaceId: 'workspace' } },
  listPlans: { query: { workspaceId: 'workspace' } },
  listUsage: none,
  getSubscription: none,
  changeSubscription: { with: { plan: 'business' } },

  listSocialAccounts: { query: { workspaceId: 'workspace' } },
  updateSocialAccount: { ...account, body: { id: 'account', workspaceId: 'workspace', externalId: 'account' } },
  deleteSocialAccount: { ...account, query: { workspaceId: 'workspace' } },
  getPostingOptions: account,
  examineSocialAccount: account,
  startConnection: { query: { workspaceId: 'workspace' } },
  finishConnection: none,

  uploadMedia: none,
  createUpload: none,
  getUpload: upload,
  continueUpload: upload,
  endUpload: upload,
  listMedia: { query: { workspaceId: 'workspace' } },
  getMedia: file,
  updateMedia: { ...file, body: { id: 'file', workspaceId: 'workspace' }, with: { altText: 'Taken' } },
  deleteMedia: file,

  createPost: { body: { ...content, workspaceId: 'workspace' }, with: { caption: 'Stolen' } },
  validatePost: { body: { ...content, workspaceId: 'workspace' }, with: { caption: 'Stolen' } },
  listPosts: { query: { workspaceId: 'workspace', accountId: 'account', mediaFileId: 'file' } },
  importPosts: { with: { csv: 'caption\nStolen', save: true } },
  exportPosts: { query: { workspaceId: 'workspace', accountId: 'account', mediaFileId: 'file' } },
  getCalendar: {
    query: { workspaceId: 'workspace', accountId: 'account', mediaFileId: 'file' },
    range: calendar,
  },
  getPost: post,
  updatePost: { ...post, body: { ...content, id: 'post', workspaceId: 'workspace' }, with: { caption: 'Stolen' } },
  deletePost: { ...post, query: { workspaceId: 'workspace' } },
  schedulePost: { ...post, with: { scheduledAt: '2099-01-01T00:00:00Z' } },
  cancelPost: post,
  unschedulePost: post,
  publishPost: post,
  submitPost: post,
  queuePost: post,
  listLabels: { query: { workspaceId: 'workspace' } },
  createLabel: { with: { name: 'Taken', color: 'red' } },
  updateLabel: { path: { id: 'label' }, body: { id: 'label' }, with: { color: 'pink' } },
  deleteLabel: { path: { id: 'label' } },
  listHashtagSets: { query: { workspaceId: 'workspace' } },
  createHashtagSet: { with: { name: 'Taken', hashtags: ['#tea'] } },
  updateHashtagSet: { path: { id: 'hashtagSet' }, body: { id: 'hashtagSet' }, with: { hashtags: ['#taken'] } },
  deleteHashtagSet: { path: { id: 'hashtagSet' } },
  getOverview: none,
  listViews: { query: { workspaceId: 'workspace' } },
  createView: { body: filters, with: { name: 'Taken', screen: 'posts', filters: {} } },
  updateView: { path: { id: 'view' }, body: { ...filters, id: 'view' }, with: { name: 'Taken' } },
  deleteView: { path: { id: 'view' } },
  getLinkCard: none,
  listTemplates: { query: { workspaceId: 'workspace' } },
  createTemplate: { with: { name: 'Taken', caption: 'Taken' } },
  updateTemplate: { path: { id: 'template' }, body: { id: 'template' }, with: { caption: 'Taken' } },
  deleteTemplate: { path: { id: 'template' } },
  listBrandVoices: { query: { workspaceId: 'workspace' } },
  getBrandVoice: { path: { id: 'voice' } },
  createBrandVoice: { with: { name: 'Taken' } },
  updateBrandVoice: { path: { id: 'voice' }, body: { id: 'voice' }, with: { writingStyle: 'Taken' } },
  deleteBrandVoice: { path: { id: 'voice' } },
  generateCaption: { body: { brandVoiceId: 'voice', postId: 'post' }, with: { topic: 'Taken' } },
  rewriteCaption: { body: { brandVoiceId: 'voice', postId: 'post' }, with: { caption: 'Taken' } },
  generateHashtags: {
    body: { brandVoiceId: 'voice', postId: 'post', 'mediaIds/*': 'file' },
    with: { caption: 'Taken' },
  },
  generateCta: { body: { brandVoiceId: 'voice', postId: 'post' }, with: { topic: 'Taken' } },
  translateCaption: {
    body: { brandVoiceId: 'voice', postId: 'post' },
    with: { caption: 'Taken', targetLanguage: 'Arabic' },
  },
  generateImage: { body: { brandVoiceId: 'voice', postId: 'post' }, with: { prompt: 'Taken' } },
  generateAltText: { body: { mediaId: 'file' } },
  suggestVoice: { with: { samplePosts: ['Taken'] } },
  listGenerations: { query: { workspaceId: 'workspace', postId: 'post' } },
  getGeneration: generation,
  cancelGeneration: generation,
  acceptGeneration: { ...generation, body: { postId: 'post' }, with: { option: 0 } },
  getPostTags: post,
  setPostTags: { ...post, body: { postId: 'post' }, with: { topic: 'Bread' } },
  listSuggestions: none,
  refreshSuggestions: none,
  getSlots: none,
  setSlots: { body: { 'slots/*/accounts/*': 'account' }, with: { slots: [{ day: 'monday', time: '09:00' }] } },
  listFreeSlots: { query: { workspaceId: 'workspace', accountIds: 'account', postId: 'post' } },

  listApprovals: { query: { workspaceId: 'workspace' } },
  approveRequest: approval,
  rejectRequest: { ...approval, with: { reason: 'Taken' } },
  withdrawRequest: approval,
  listTrouble: { query: { workspaceId: 'workspace' } },
  approvePost: post,
  rejectPost: { ...post, with: { reason: 'Taken' } },
  listComments: { ...post, query: { workspaceId: 'workspace' } },
  addComment: { ...post, body: { 'mentions/*': 'user' }, with: { text: 'Taken' } },
  deleteComment: { path: { id: 'post', commentId: 'comment' } },
  listVersions: { ...post, query: { workspaceId: 'workspace' } },
  listReviewLinks: { ...post, query: { workspaceId: 'workspace' } },
  addReviewLink: { ...post, with: { name: 'Taken', days: 3 } },
  revokeReviewLinks: { ...post, query: { workspaceId: 'workspace', linkId: 'link' } },
  listSharedReviewLinks: { query: { workspaceId: 'workspace' } },
  shareReviewLink: { body: { 'postIds/*': 'post' } },
  endReviewLink: { path: { id: 'link' } },
  getReview: none,
  approveReview: { body: { postId: 'post', 'posts/*/postId': 'post' }, with: { postVersion: 1 } },
  rejectReview: { body: { postId: 'post', 'posts/*/postId': 'post' }, with: { postVersion: 1, reason: 'Taken' } },
  commentReview: { body: { postId: 'post', 'postIds/*': 'post' }, with: { text: 'Taken' } },
  restorePost: post,
  duplicatePost: post,
  listPublications: post,
  listPostEvents: post,
  retryPost: { ...post, body: { 'publicationIds/*': 'publication' } },
  resolvePublication: { path: { id: 'post', publicationId: 'publication' }, with: { outcome: 'not_live' } },
  retryRemoval: { path: { id: 'post', publicationId: 'publication' } },
  listRemovals: { query: { workspaceId: 'workspace' } },
  retryFirstComment: { path: { id: 'post', publicationId: 'publication' } },
  retryPublicationNow: { path: { id: 'post', publicationId: 'publication' } },
  stopPublication: { path: { id: 'post', publicationId: 'publication' } },
  backdatePost: { ...post, with: { publishedAt: '2020-01-01T00:00:00Z' } },

  listConversations: {
    query: {
      assignee: 'user',
      accountId: 'account',
      label: 'label',
      postId: 'post',
      customerId: 'customer',
      workspaceId: 'workspace',
    },
  },
  countConversations: none,
  getConversation: thread,
  listMessages: { ...thread, query: { workspaceId: 'workspace' } },
  updateConversation: { ...thread, body: { id: 'thread', accountId: 'account', 'labels/*': 'label' } },
  createMessage: {
    ...thread,
    body: { seen: 'message', parentId: 'message', 'attachments/*': 'file' },
    with: { text: 'Taken' },
  },
  retryMessage: messageOfThread,
  resolveMessage: { ...messageOfThread, with: { outcome: 'live' } },
  hideMessage: messageOfThread,
  unhideMessage: messageOfThread,
  createNote: { ...thread, body: { 'mentions/*': 'user' }, with: { text: 'Taken' } },
  updateNote: {
    path: { id: 'thread', noteId: 'note' },
    body: { id: 'note', parentId: 'message', decisionId: 'decision', externalId: 'post', 'mentions/*': 'user' },
    with: { text: 'Taken' },
  },
  deleteNote: { path: { id: 'thread', noteId: 'note' } },
  assignConversation: { ...thread, body: { userId: 'user' } },
  escalateConversation: thread,
  closeConversation: thread,
  reopenConversation: thread,
  snoozeConversation: { ...thread, with: { until: '2099-01-01T00:00:00Z' } },
  seeConversation: { ...thread, body: { messageId: 'message' } },
  bulkConversations: {
    body: { 'ids/*': 'thread', 'assign/userId': 'user', 'labels/add/*': 'label', 'labels/remove/*': 'label' },
    with: { close: true },
  },
  listFailedEvents: { query: { workspaceId: 'workspace' } },
  retryFailedEvent: { path: { id: 'event' } },
  listAudience: { query: { segmentId: 'segment', workspaceId: 'workspace' } },
  getCustomer: { path: { id: 'customer' } },
  updateCustomer: { path: { id: 'customer' }, body: { id: 'customer' }, with: { tags: ['taken'] } },
  listPairs: { query: { customerId: 'customer', workspaceId: 'workspace' } },
  mergeCustomers: { path: { id: 'customer' }, body: { with: 'customer' } },
  unmergeCustomer: { path: { id: 'customer' } },
  exportCustomer: { path: { id: 'customer' } },
  listSegments: { query: { workspaceId: 'workspace' } },
  createSegment: { with: { name: 'Taken', filter: { field: 'tag', op: 'is', value: 'taken' } } },
  countSegment: { with: { filter: { field: 'tag', op: 'is', value: 'taken' } } },
  getSegment: { path: { id: 'segment' } },
  updateSegment: { path: { id: 'segment' }, body: { id: 'segment' }, with: { name: 'Taken' } },
  deleteSegment: { path: { id: 'segment' } },
  eraseCustomer: { path: { id: 'customer' } },
  listEscalationRules: { query: { workspaceId: 'workspace' } },
  createEscalationRule: { with: { keywords: ['taken'] } },
  updateEscalationRule: { path: { id: 'rule' }, body: { id: 'rule' }, with: { keywords: ['taken'] } },
  deleteEscalationRule: { path: { id: 'rule' } },
  getBotConfig: none,
  updateBotConfig: { body: { brandVoiceId: 'voice' }, with: { disclosureText: 'Taken' } },
  listDraftReplies: { query: { workspaceId: 'workspace' } },
  getDraftReply: { path: { id: 'draftReply' } },
  approveDraftReply: { path: { id: 'draftReply' }, with: { text: 'Taken' } },
  flagDraftReply: { path: { id: 'draftReply' }, with: { reason: 'wrong' } },
  listSentReplies: { query: { workspaceId: 'workspace' } },
  checkSentReply: { path: { id: 'sentReply' }, with: { flag: 'wrong' } },
  botConversation: { ...thread, with: { paused: true } },
  suggestReply: thread,
  simulateReplies: { body: { accountId: 'account', 'config/brandVoiceId': 'voice' }, with: { text: 'Taken' } },
  getSimulation: { path: { id: 'run' } },
  listChargedDecisions: { query: { workspaceId: 'workspace' } },
  getDecision: { path: { id: 'decision' } },
  replayDecision: { path: { id: 'decision' } },
  importKnowledge: { with: { format: 'markdown', content: '# Taken?\n\nTaken' } },
  listKnowledgeGaps: { query: { workspaceId: 'workspace' } },
  findPassages: { with: { text: 'Taken' } },
  listMemory: { query: { conversationId: 'thread', owner: 'thread', workspaceId: 'workspace' } },
  deleteMemory: { query: { id: 'memory', owner: 'thread', workspaceId: 'workspace' } },
  listExperiments: { query: { workspaceId: 'workspace' } },
  createExperiment: {
    body: { 'variantA/brandVoiceId': 'voice', 'variantB/brandVoiceId': 'voice' },
    with: { name: 'Taken', variantA: { name: 'Taken' }, variantB: { name: 'Taken' } },
  },
  getExperiment: { path: { id: 'experiment' } },
  updateExperiment: {
    path: { id: 'experiment' },
    body: {
      id: 'experiment',
      winnerId: 'experiment',
      'variantA/brandVoiceId': 'voice',
      'variantB/brandVoiceId': 'voice',
    },
    with: { name: 'Taken' },
  },
  deleteExperiment: { path: { id: 'experiment' } },
  listPostMetrics: { ...post, query: { workspaceId: 'workspace' } },
  syncAccountNow: { body: { accountId: 'account' } },
  listPredictions: post,
  makePredictions: post,
  getPredictionAccuracy: { query: { accountId: 'account', workspaceId: 'workspace' } },
  getBestTimes: { query: { accountId: 'account', workspaceId: 'workspace' } },
  getAnalyticsOverview: period,
  listAnalyticsPosts: period,
  getAnalyticsPost: { path: { id: 'measured' } },
  listAnalyticsHours: period,
  listAnalyticsTags: { ...period, range: 'from=2026-01-01&to=2026-01-31&by=topic' },
  listMetrics: none,
  exportAnalytics: { ...period, range: 'from=2026-01-01&to=2026-01-31&of=posts' },
  getReplyStats: { query: { workspaceId: 'workspace' } },
  getAttachment: { path: { id: 'thread', fileId: 'attachment' } },
  listReports: { query: { workspaceId: 'workspace' } },
  createReport: {
    body: { 'accountIds/*': 'account', 'mailTo/*': 'user' },
    with: { name: 'Taken', sections: ['overview'], range: 'last_month' },
  },
  getReport: { path: { id: 'report' } },
  updateReport: {
    path: { id: 'report' },
    body: { id: 'report', 'accountIds/*': 'account', 'mailTo/*': 'user' },
    with: { name: 'Taken' },
  },
  deleteReport: { path: { id: 'report' } },
  previewReport: { path: { id: 'report' } },
  shareReport: { path: { id: 'report' }, with: { days: 30 } },
  resendReport: { path: { id: 'report' } },
  listReportSnapshots: { query: { reportId: 'report', workspaceId: 'workspace' } },
  getReportSnapshot: { path: { id: 'reportSnapshot' } },
  revokeReportSnapshot: { path: { id: 'reportSnapshot' } },
  getSharedReport: none,
  listABTests: { query: { workspaceId: 'workspace' } },
  createABTest: {
    body: { accountId: 'account' },
    with: { name: 'Taken', kind: 'post', slot: 'weekday-08', trait: 'link', a: 'with', b: 'without', blocks: 8 },
  },
  getABTest: { path: { id: 'abTest' } },
  updateABTest: { path: { id: 'abTest' }, body: { id: 'abTest', accountId: 'account' }, with: { name: 'Taken' } },
  deleteABTest: { path: { id: 'abTest' } },
  setABBlock: { path: { id: 'abTest' }, body: { firstPostId: 'post', secondPostId: 'post' } },
  startABTest: { path: { id: 'abTest' } },
  stopABTest: { path: { id: 'abTest' } },
  planABTest: { body: { accountId: 'account' }, with: { kind: 'post', blocks: 8 } },
  listCompetitors: { query: { workspaceId: 'workspace' } },
  addCompetitor: { body: { accountId: 'account' }, with: { username: 'corner_shop' } },
  getCompetitor: { path: { id: 'competitor' } },
  removeCompetitor: { path: { id: 'competitor' } },
  listCompetitorSnapshots: {
    path: { id: 'competitor' },
    query: { workspaceId: 'workspace' },
    range: 'from=2026-01-01&to=2026-02-01',
  },
  compareCompetitors: {
    query: { accountId: 'account', workspaceId: 'workspace' },
    range: 'from=2026-01-01&to=2026-02-01',
  },
  listSavedReplies: { query: { conversationId: 'thread', workspaceId: 'workspace' } },
  createSavedReply: { with: { name: 'Taken', text: 'Taken' } },
  updateSavedReply: { path: { id: 'savedReply' }, body: { id: 'savedReply' }, with: { text: 'Taken' } },
  deleteSavedReply: { path: { id: 'savedReply' } },

  listUsers: none,
  getUser: { path: { id: 'user' } },
  disableUser: { path: { id: 'user' } },
  enableUser: { path: { id: 'user' } },
  listAllWorkspaces: none,
  giveSubscription: { path: { id: 'workspace' }, with: { plan: 'free' } },
  listAllPlans: none,
  changePlan: { with: { features: [] } },
  listQueues: none,
  listFailed: none,
  retryQueue: none,
  retryJob: none,
  listAdminAudit: { query: { actorId: 'user' } },
}

// ---- the places for ids in the description

const isIdName = (name: string) => /^ids?$|Ids?$/.test(name)

/** Returns the places where a schema takes ids, by their format or by the name of the field. */
function idsIn(schema: Schema, way: string[] = []): string[] {
  const here =
    schema.format === 'uuid' || (way.length > 0 && isIdName(way.at(-1)!) && !schema.items) ? [way.join('/')] : []
  return [
    ...here,
    ...(schema.anyOf ?? []).flatMap((each) => idsIn(each, way)),
    ...(schema.items ? idsIn(schema.items, [...way, '*']) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => idsIn(each, [...way, name])),
  ]
}

function placesOf({ parameters = [], requestBody }: Operation) {
  const named = (where: string) =>
    parameters.filter((each) => each.in === where && (isIdName(each.name) || each.schema.format === 'uuid'))
  const schema = requestBody?.content['application/json']?.schema
  return {
    path: named('path').map(({ name }) => name),
    query: named('query').map(({ name }) => name),
    body: schema ? [...new Set(idsIn(schema))] : [],
  }
}

const takesWorkspace = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === 'X-Workspace-Id')

// ---- the two tenants

const { product, sql } = useProduct()
let attackers: Record<Role, Person>
let own: Record<Kind, string>
let theirs: Record<Kind, string>
let victim: Person
let before: Record<string, string>

/** Hashes all rows of a tenant by table: those of its workspace and of its person. */
async function rowsOf({ workspace: workspaceId, user }: Record<Kind, string>): Promise<Record<string, string>> {
  const { rows: tables } = await sql.query<{ name: string; column: string }>(
    `select c.relname as name, case when 'workspace_id' = any (columns) then 'workspace_id'
        when 'user_id' = any (columns) then 'user_id' else 'id' end as column
      from pg_class c cross join lateral (select array_agg(attname::text) as columns from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped) a
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and (columns && '{workspace_id,user_id}' or c.relname in ('workspace', 'app_user')) order by 1`,
  )
  const hashes: Record<string, string> = {}
  for (const { name, column } of tables) {
    const { rows: found } = await sql.query<{ text: string | null }>(
      `select string_agg(t::text, E'\\n' order by t::text) as text from ${name} t where ${column}::text = $1`,
      [name === 'app_user' || column === 'user_id' ? user : workspaceId],
    )
    const text = found[0]?.text
    hashes[name] = text ? createHash('sha256').update(text).digest('hex') : 'empty'
  }
  return hashes
}

/** Returns the rows once they have stopped changing. */
async function unchangingRows(): Promise<Record<string, string>> {
  for (let last = ''; ; await sleep(500)) {
    const found = await rowsOf(theirs)
    if (JSON.stringify(found) === last) return found
    last = JSON.stringify(found)
  }
}

beforeAll(async () => {
  const OWNER = await newPerson(product.url, 'Ann')
  victim = await newPerson(product.url, 'Bob')
  own = await fillTenant(sql, OWNER, 'u1')
  theirs = await fillTenant(sql, victim, 'u2')
  const join = async (role: Role) => {
    const { session } = await newPerson(product.url, role)
    await sql.query('insert into member (workspace_id, user_id, role) values ($1, $2, $3)', [
      OWNER.workspaceId,
      session.user.id,
      role,
    ])
    return asPerson(product.url, session, OWNER.workspaceId)
  }
  attackers = {
    OWNER,
    ADMIN: await join('ADMIN'),
    EDITOR: await join('EDITOR'),
    VIEWER: await join('VIEWER'),
    CLIENT: await join('CLIENT'),
  }
  before = await unchangingRows()
})

// ---- the attack

interface Probe {
  name: string
  path: string
  body: object | undefined
  header: string | undefined
  /** All ids that do not belong to the attacker. */
  ids: string[]
}

/** Returns an object with a value at the end of a path. */
const at = (way: string[], value: unknown): unknown =>
  way.length === 0
    ? value
    : way[0] === '*'
      ? [at(way.slice(1), value)]
      : { [way[0] as string]: at(way.slice(1), value) }

/**
 * Puts a foreign id in each place in turn, with everything else the attacker's own, and finally foreign ids in all
 * places.
 */
function probes(operation: Operation, foreign: Record<Kind, string>): Probe[] {
  const row = rows[operation.operationId]!
  const names = Object.entries(row.path ?? {})
  const pathOf = (mine: Record<Kind, string>, but?: string) =>
    pathWith(operation, {
      network: 'NET_PAGE',
      letter: 'A',
      n: '1',
      token: 'none',
      ...Object.fromEntries(names.map(([name, kind]) => [name, (name === but ? foreign : mine)[kind]])),
    })
  const bodyOf = (more: object = {}) => (takesJson(operation) ? { ...row.with, ...more } : undefined)
  const plain = { path: pathOf(own), body: bodyOf(), header: own.workspace, ids: Object.values(foreign) }
  const range = row.range ? `${row.range}&` : ''
  const asked = (query: string) => (query || range ? `?${range}${query}` : '')
  return [
    ...names.map(([name]) => ({ ...plain, name: `path ${name}`, path: pathOf(own, name) + asked('') })),
    ...Object.entries(row.query ?? {}).map(([name, kind]) => ({
      ...plain,
      name: `query ${name}`,
      path: pathOf(own) + asked(`${name}=${foreign[kind]}`),
      header: name === 'workspaceId' ? undefined : own.workspace,
    })),
    ...Object.entries(row.body ?? {}).map(([way, kind]) => ({
      ...plain,
      name: `body ${way}`,
      body: bodyOf(at(way.split('/'), foreign[kind]) as object),
    })),
    ...(takesWorkspace(operation)
      ? [
          { ...plain, name: 'header', path: pathOf(foreign) + asked(''), header: foreign.workspace },
          {
            ...plain,
            name: 'query workspaceId, all of it',
            path: pathOf(foreign) + asked(`workspaceId=${foreign.workspace}`),
            header: undefined,
          },
        ]
      : names.length > 1
        ? [{ ...plain, name: 'the whole path', path: pathOf(foreign) }]
        : []),
  ]
}

const ownHeaders = /^(date|x-request-id|ratelimit.*|keep-alive)$/

/**
 * Returns the answer as text, without the parts that differ by request, and with every foreign id replaced by the same
 * word.
 */
async function answerTo({ method }: Operation, { path, body, header, ids }: Probe, person: Person): Promise<string> {
  const response = await fetch(product.url + path, {
    method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${person.session.accessToken}`,
      ...(header !== undefined && { 'x-workspace-id': header }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const stream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (stream) await response.body?.cancel()
  let text = stream ? 'a stream' : await response.text()
  text = text.replace(/"requestId":"[^"]+"/, '"requestId":""')
  for (const id of ids) text = text.replaceAll(id, '<id>')
  const headers = [...response.headers].filter(([name]) => !ownHeaders.test(name)).map((pair) => pair.join(': '))
  return [response.status, ...headers, text].join('\n')
}

const randomIds = (): Record<Kind, string> =>
  Object.fromEntries(Object.keys(theirs).map((kind) => [kind, randomUUID()])) as Record<Kind, string>

describe('the table', () => {
  test('lists every operation, and every place where it takes an id', () => {
    const described = operations.map((operation) => [operation.operationId, placesOf(operation)] as const)
    expect(Object.keys(rows).toSorted()).toEqual(described.map(([id]) => id).toSorted())
    for (const [id, places] of described) {
      const { path = {}, query = {}, body = {} } = rows[id]!
      expect(
        {
          path: Object.keys(path).toSorted(),
          query: Object.keys(query).toSorted(),
          body: Object.keys(body).toSorted(),
        },
        id,
      ).toEqual({ path: places.path.toSorted(), query: places.query.toSorted(), body: places.body.toSorted() })
    }
  })

  test('uses a tenant with rows in every table of tenants', () => {
    const empty = Object.entries(before).filter(([, hash]) => hash === 'empty')
    expect(empty.map(([name]) => name)).toEqual([])
  })

  test('uses ids that exist: their owner finds them', async () => {
    const reads = operations.filter(
      ({ operationId, method, path }) =>
        method === 'GET' && rows[operationId]?.path && !path.startsWith('/api/v1/admin/'),
    )
    expect(reads.length).toBeGreaterThan(5)
    for (const operation of reads) {
      const path = pathWith(
        operation,
        Object.fromEntries(Object.entries(rows[operation.operationId]!.path!).map(([name, kind]) => [name, own[kind]])),
      )
      const { range } = rows[operation.operationId]!
      const probe = {
        name: '',
        path: range ? `${path}?${range}` : path,
        body: undefined,
        header: own.workspace,
        ids: [],
      }
      const found = await answerTo(operation, probe, attackers.OWNER)
      expect(found.startsWith('200') || operation.operationId === 'getPostingOptions', `${path} ${found}`).toBe(true)
    }
  })
})

// An OWNER passes every gate of a role, and a CLIENT the fewest.
const roles: readonly Role[] = long ? ROLES : ['OWNER', 'CLIENT']

describe.each(roles)('a %s of one workspace', (role) => {
  test.each(
    operations
      .filter(
        (operation) =>
          takesWorkspace(operation) || placesOf(operation).path.length > 0 || rows[operation.operationId]?.body,
      )
      .map((operation) => [operation.operationId, operation] as const),
  )('%s: ids of another workspace are not found', async (id, operation) => {
    const person = attackers[role]
    const nothing = probes(operation, randomIds())
    for (const [index, probe] of probes(operation, theirs).entries()) {
      const got = await answerTo(operation, probe, person)
      const expected = await answerTo(operation, nothing[index] as Probe, person)
      expect(got, `${id} as ${role}, ${probe.name}`).toBe(expected)
      expect(Number(got.slice(0, 3)), `${id} as ${role}, ${probe.name}: ${got}`).toBeLessThan(500)
    }
  })
})

test('no row of the other tenant has changed after all these requests', async () => {
  expect(await unchangingRows()).toEqual(before)
})
