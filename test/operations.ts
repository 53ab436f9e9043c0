import { randomUUID } from 'node:crypto'
import openapi from '../dist/openapi.json' with { type: 'json' }

// The operations of the description, and who may call them: section 10 of the contract as data. The description is made from
// the registered routes, and a route of the API without an operation does not start, so that nothing is missing here.

export interface Schema {
  type?: string | string[]
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  [more: string]: unknown
}

export interface Operation {
  method: string
  path: string
  operationId: string
  parameters?: { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

export const operations: Operation[] = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods as unknown as Record<string, Operation>).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
  })),
)

export const takesJson = ({ requestBody }: Operation) => requestBody?.content['application/json'] !== undefined

/** The path with its parameters filled in; who is not named becomes an id of nothing. */
export const pathWith = ({ path }: Operation, values: Record<string, string>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? randomUUID()))

export interface Access {
  /** Who at least. `anybody` needs no sign-in, `person` no workspace. */
  least: 'anybody' | 'person' | 'super admin' | 'OWNER' | 'ADMIN' | 'EDITOR' | 'VIEWER'
  client?: true
  feature?: string
  quota?: string
  /** It reads or sets the cookie of the session, and so refuses a foreign origin. */
  cookie?: true
}

const anybody = { least: 'anybody' } as const
const cookie = { least: 'anybody', cookie: true } as const
const person = { least: 'person' } as const
const owner = { least: 'OWNER' } as const
const admin = { least: 'ADMIN' } as const
const viewer = { least: 'VIEWER' } as const
const superAdmin = { least: 'super admin' } as const
const clientToo = { least: 'VIEWER', client: true } as const
const writing = { least: 'EDITOR', feature: 'ai_content', quota: 'ai_credits' } as const
const voices = { ...admin, feature: 'ai_content' } as const
const editor = { least: 'EDITOR' } as const
const answering = { least: 'EDITOR', feature: 'auto_reply' } as const
const publishing = { least: 'EDITOR', feature: 'publishing' } as const

export const access: Record<string, Access> = {
  getHealth: anybody,
  getLive: anybody,
  getReady: anybody,
  getConfig: anybody,
  streamEvents: clientToo,

  register: cookie,
  login: cookie,
  loginByPhone: cookie,
  sendCode: anybody,
  verifyCode: cookie,
  refresh: cookie,
  logout: cookie,
  forgotPassword: anybody,
  resetPassword: anybody,
  listOtherWays: anybody,
  endOtherWays: anybody,
  undoChange: anybody,
  startSignIn: anybody,
  finishSignIn: anybody,
  getMe: person,
  updateMe: person,
  changePassword: person,
  completeOnboarding: person,
  listSessions: person,
  endSession: person,
  endOtherSessions: person,
  getSignInMethods: person,
  listNotifications: person,
  readNotification: person,
  readNotifications: person,
  getNotificationPreferences: person,
  setNotificationPreferences: person,
  removeIdentity: person,
  joinProvider: person,

  listWorkspaces: person,
  createWorkspace: person,
  getWorkspace: clientToo,
  updateWorkspace: admin,
  deleteWorkspace: owner,
  restoreWorkspace: owner,
  listMembers: clientToo,
  inviteMember: { ...admin, quota: 'members' },
  updateMember: admin,
  removeMember: admin,
  removeMemberHere: admin,
  transferOwnership: owner,
  listInvitations: admin,
  resendInvitation: admin,
  findInvitation: admin,
  revokeInvitation: admin,
  getInvitation: anybody,
  acceptInvitation: person,

  listAudit: admin,
  exportAudit: admin,
  listPlans: admin,
  listUsage: admin,
  getSubscription: admin,
  changeSubscription: owner,

  listSocialAccounts: viewer,
  updateSocialAccount: admin,
  deleteSocialAccount: admin,
  getPostingOptions: publishing,
  examineSocialAccount: admin,
  startConnection: { ...admin, quota: 'social_accounts' },
  finishConnection: anybody,

  uploadMedia: { ...publishing, quota: 'media_bytes' },
  createUpload: { ...publishing, quota: 'media_bytes' },
  getUpload: publishing,
  continueUpload: publishing,
  endUpload: publishing,
  listMedia: viewer,
  getMedia: viewer,
  updateMedia: publishing,
  deleteMedia: publishing,

  createPost: { ...publishing, quota: 'posts' },
  duplicatePost: { ...publishing, quota: 'posts' },
  validatePost: publishing,
  importPosts: { ...publishing, quota: 'posts' },
  exportPosts: viewer,
  listPosts: clientToo,
  getCalendar: clientToo,
  getPost: clientToo,
  updatePost: publishing,
  deletePost: publishing,
  schedulePost: publishing,
  cancelPost: publishing,
  unschedulePost: publishing,
  publishPost: publishing,
  restorePost: publishing,
  submitPost: publishing,
  queuePost: publishing,
  listLabels: viewer,
  createLabel: editor,
  updateLabel: editor,
  deleteLabel: editor,
  listHashtagSets: viewer,
  createHashtagSet: publishing,
  updateHashtagSet: publishing,
  deleteHashtagSet: publishing,
  getOverview: person,
  listViews: viewer,
  createView: viewer,
  updateView: viewer,
  deleteView: viewer,
  getLinkCard: viewer,
  listTemplates: viewer,
  createTemplate: publishing,
  updateTemplate: publishing,
  deleteTemplate: publishing,
  listBrandVoices: viewer,
  getBrandVoice: viewer,
  createBrandVoice: voices,
  updateBrandVoice: voices,
  deleteBrandVoice: voices,
  generateCaption: writing,
  rewriteCaption: writing,
  generateHashtags: writing,
  generateCta: writing,
  translateCaption: writing,
  generateImage: writing,
  generateAltText: writing,
  suggestVoice: writing,
  listGenerations: { ...viewer, feature: 'ai_content' },
  getGeneration: { ...viewer, feature: 'ai_content' },
  cancelGeneration: { least: 'EDITOR', feature: 'ai_content' },
  acceptGeneration: { least: 'EDITOR', feature: 'ai_content' },
  getPostTags: viewer,
  setPostTags: editor,
  listSuggestions: { ...viewer, feature: 'ai_suggestions' },
  refreshSuggestions: { least: 'EDITOR', feature: 'ai_content', quota: 'ai_credits' },
  getSlots: viewer,
  setSlots: publishing,
  listFreeSlots: viewer,

  listApprovals: { ...clientToo, feature: 'approvals' },
  approveRequest: { ...admin, client: true, feature: 'approvals' },
  rejectRequest: { ...admin, client: true, feature: 'approvals' },
  withdrawRequest: { least: 'EDITOR', feature: 'approvals' },
  approvePost: { ...admin, client: true, feature: 'approvals' },
  rejectPost: { ...admin, client: true, feature: 'approvals' },
  listComments: clientToo,
  addComment: { least: 'EDITOR', client: true },
  deleteComment: { least: 'EDITOR', client: true },
  listVersions: viewer,
  listReviewLinks: publishing,
  addReviewLink: publishing,
  revokeReviewLinks: publishing,
  listSharedReviewLinks: publishing,
  shareReviewLink: publishing,
  endReviewLink: publishing,
  getReview: anybody,
  approveReview: anybody,
  rejectReview: anybody,
  commentReview: anybody,

  listPostMetrics: viewer,
  syncAccountNow: { least: 'EDITOR', feature: 'analytics' },
  listPredictions: { ...viewer, feature: 'predictions' },
  makePredictions: { ...editor, feature: 'predictions' },
  getPredictionAccuracy: { ...viewer, feature: 'predictions' },
  getBestTimes: { ...viewer, feature: 'analytics' },
  listReports: { ...viewer, feature: 'analytics' },
  createReport: { ...editor, feature: 'analytics' },
  getReport: { ...viewer, feature: 'analytics' },
  updateReport: { ...editor, feature: 'analytics' },
  deleteReport: { ...editor, feature: 'analytics' },
  previewReport: { ...viewer, feature: 'analytics' },
  shareReport: { ...editor, feature: 'analytics' },
  resendReport: { ...editor, feature: 'analytics' },
  listReportSnapshots: { ...clientToo, feature: 'analytics' },
  getReportSnapshot: { ...clientToo, feature: 'analytics' },
  revokeReportSnapshot: { ...editor, feature: 'analytics' },
  getSharedReport: anybody,
  listABTests: { ...viewer, feature: 'ab_testing' },
  createABTest: { ...editor, feature: 'ab_testing' },
  getABTest: { ...viewer, feature: 'ab_testing' },
  updateABTest: { ...editor, feature: 'ab_testing' },
  deleteABTest: { ...editor, feature: 'ab_testing' },
  setABBlock: { ...editor, feature: 'ab_testing' },
  startABTest: { ...editor, feature: 'ab_testing' },
  stopABTest: { ...editor, feature: 'ab_testing' },
  planABTest: { ...viewer, feature: 'ab_testing' },
  listCompetitors: { ...viewer, feature: 'competitors' },
  addCompetitor: { ...editor, feature: 'competitors' },
  getCompetitor: { ...viewer, feature: 'competitors' },
  removeCompetitor: { ...editor, feature: 'competitors' },
  listCompetitorSnapshots: { ...viewer, feature: 'competitors' },
  compareCompetitors: { ...viewer, feature: 'competitors' },
  getAnalyticsOverview: { ...clientToo, feature: 'analytics' },
  listAnalyticsPosts: { ...viewer, feature: 'analytics' },
  getAnalyticsPost: { ...viewer, feature: 'analytics' },
  listAnalyticsHours: { ...viewer, feature: 'analytics' },
  listAnalyticsTags: { ...viewer, feature: 'analytics' },
  listMetrics: { ...clientToo, feature: 'analytics' },
  exportAnalytics: { ...viewer, feature: 'analytics' },
  listPublications: clientToo,
  listTrouble: viewer,
  retryPost: publishing,
  resolvePublication: publishing,
  retryRemoval: publishing,
  listRemovals: viewer,
  retryFirstComment: publishing,
  retryPublicationNow: publishing,
  stopPublication: publishing,
  backdatePost: { ...admin, feature: 'publishing' },

  listConversations: { ...clientToo, feature: 'auto_reply' },
  getConversation: { ...clientToo, feature: 'auto_reply' },
  listMessages: { ...clientToo, feature: 'auto_reply' },
  countConversations: { ...viewer, feature: 'auto_reply' },
  seeConversation: { ...viewer, feature: 'auto_reply' },
  updateConversation: answering,
  createMessage: answering,
  retryMessage: answering,
  resolveMessage: answering,
  hideMessage: answering,
  unhideMessage: answering,
  createNote: answering,
  updateNote: answering,
  deleteNote: answering,
  assignConversation: answering,
  escalateConversation: answering,
  closeConversation: answering,
  reopenConversation: answering,
  snoozeConversation: answering,
  bulkConversations: answering,
  listFailedEvents: { ...viewer, feature: 'auto_reply' },
  retryFailedEvent: answering,
  eraseCustomer: admin,
  listEscalationRules: { ...viewer, feature: 'auto_reply' },
  createEscalationRule: { ...admin, feature: 'auto_reply' },
  updateEscalationRule: { ...admin, feature: 'auto_reply' },
  deleteEscalationRule: { ...admin, feature: 'auto_reply' },
  getBotConfig: { ...viewer, feature: 'auto_reply' },
  updateBotConfig: { ...admin, feature: 'auto_reply' },
  listDraftReplies: { ...viewer, feature: 'auto_reply' },
  getDraftReply: { ...viewer, feature: 'auto_reply' },
  approveDraftReply: answering,
  flagDraftReply: answering,
  botConversation: answering,
  suggestReply: { ...answering, quota: 'ai_credits' },
  simulateReplies: { ...answering, quota: 'ai_credits' },
  getSimulation: { ...viewer, feature: 'auto_reply' },
  getDecision: { ...viewer, feature: 'auto_reply' },
  replayDecision: { ...viewer, feature: 'auto_reply' },
  importKnowledge: { ...admin, feature: 'auto_reply' },
  listKnowledgeGaps: answering,
  findPassages: { ...viewer, feature: 'auto_reply' },
  listMemory: { ...viewer, feature: 'auto_reply' },
  deleteMemory: answering,
  listExperiments: { ...viewer, feature: 'auto_reply' },
  createExperiment: { ...admin, feature: 'auto_reply' },
  getExperiment: { ...viewer, feature: 'auto_reply' },
  updateExperiment: { ...admin, feature: 'auto_reply' },
  deleteExperiment: { ...admin, feature: 'auto_reply' },
  getReplyStats: { ...viewer, feature: 'auto_reply' },
  getAttachment: { ...viewer, feature: 'auto_reply' },
  listSavedReplies: { ...viewer, feature: 'auto_reply' },
  createSavedReply: answering,
  updateSavedReply: answering,
  deleteSavedReply: answering,

  listUsers: superAdmin,
  getUser: superAdmin,
  disableUser: superAdmin,
  enableUser: superAdmin,
  listAllWorkspaces: superAdmin,
  giveSubscription: superAdmin,
  listAllPlans: superAdmin,
  changePlan: superAdmin,
  listQueues: superAdmin,
  listFailed: superAdmin,
  retryQueue: superAdmin,
  retryJob: superAdmin,
  listAdminAudit: superAdmin,
}
