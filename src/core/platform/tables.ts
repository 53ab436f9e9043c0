// Made by npm run schema from the migrations. Not to be edited.

import type { Generated, GeneratedAlways } from 'kysely'

export interface AiGenerationTable {
  workspaceId: string
  id: string
  kind: 'caption' | 'rewrite' | 'hashtags' | 'cta' | 'translate' | 'image' | 'suggestions' | 'voice'
  status: Generated<'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED'>
  input: unknown
  asked: number
  options: Generated<unknown>
  dropped: Generated<unknown>
  mediaFileId: string | null
  voice: unknown
  applied: boolean | null
  error: unknown
  credits: number
  brandVoiceId: string | null
  postId: string | null
  acceptedOption: number | null
  acceptedPostId: string | null
  model: string | null
  inputTokens: number | null
  outputTokens: number | null
  creditHold: string | null
  generationHold: string | null
  createdBy: string | null
  createdAt: Generated<Date>
  startedAt: Date | null
  endedAt: Date | null
  leasedUntil: Date | null
  toldVoice: unknown
}

export interface AiSuggestionTable {
  workspaceId: string
  id: string
  kind: 'topic' | 'gap' | 'repost' | 'hashtag' | 'time'
  title: string
  reason: string
  brief: unknown
  score: number
  madeAt: Generated<Date>
  scheduledAt: Date | null
}

export interface AppClockTable {
  singleton: Generated<boolean>
  shift: Generated<unknown>
}

export interface AppUserTable {
  id: string
  email: string | null
  emailConfirmedAt: Date | null
  phone: string | null
  phoneConfirmedAt: Date | null
  passwordHash: string | null
  name: Generated<string>
  avatarUrl: string | null
  language: Generated<string>
  timezone: Generated<string>
  onboardedAt: Date | null
  isSuperAdmin: Generated<boolean>
  disabledAt: Date | null
  defaultWorkspaceId: string | null
  createdAt: Generated<Date>
  goals: Generated<string[]>
  quietFrom: string | null
  quietUntil: string | null
}

export interface ApprovalRequestTable {
  workspaceId: string
  id: string
  postId: string
  postVersion: number
  state: 'PENDING' | 'APPROVED' | 'REJECTED' | 'WITHDRAWN'
  act: 'schedule' | 'publish' | 'draft'
  forClient: boolean
  requestedBy: string | null
  decidedBy: string | null
  decidedByName: string | null
  decidedAt: Date | null
  reason: string | null
  remindedAt: Date | null
  createdAt: Generated<Date>
}

export interface AuditEntryTable {
  workspaceId: string
  id: string
  at: Generated<Date>
  actorKind: 'user' | 'system'
  actorId: string | null
  action: string
  object: unknown
  detail: Generated<unknown>
  ip: string | null
  requestId: string | null
}

export interface BrandVoiceTable {
  workspaceId: string
  id: string
  name: string
  toneAttributes: Generated<string[]>
  vocabulary: Generated<unknown>
  writingStyle: Generated<string>
  samplePosts: Generated<string[]>
  isDefault: Generated<boolean>
  version: Generated<number>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

export interface CredentialUndoTable {
  tokenHash: string
  userId: string
  change: 'email' | 'phone' | 'identity' | 'identity_removed' | 'password'
  former: string | null
  identityId: string | null
  createdAt: Date
  expiresAt: Date
  id: GeneratedAlways<number>
  removed: unknown
}

export interface CreditEntryTable {
  workspaceId: string
  id: string
  generationId: string
  period: string
  credits: number
  at: Generated<Date>
}

export interface FeatureTable {
  id: string
}

export interface FirstCommentTable {
  workspaceId: string
  publicationId: string
  text: string
  state: Generated<'PENDING' | 'SENDING' | 'POSTED' | 'FAILED' | 'UNCONFIRMED'>
  tries: Generated<number>
  failures: Generated<number>
  intentAt: Date | null
  absentReads: Generated<number>
  absentAt: Date | null
  lateReads: Generated<number>
  lateReadAt: Date | null
  externalId: string | null
  error: unknown
  updatedAt: Generated<Date>
  networkAt: Date | null
  limitedUntil: Date | null
  backoffs: Generated<number>
}

export interface IdempotencyKeyTable {
  keyHash: string
  userId: string
  bodyHash: string
  claim: string
  claimedUntil: Date
  doneAt: Date | null
  status: number | null
  headers: unknown
  body: string | null
  expiresAt: Date
  holder: string | null
}

export interface MediaCropTable {
  workspaceId: string
  mediaFileId: string
  platform: string
  area: unknown
  storageKey: string | null
  fileSize: number | null
  width: number | null
  height: number | null
  wantedAt: Generated<Date>
}

export interface MediaFileTable {
  workspaceId: string
  id: string
  kind: 'IMAGE' | 'VIDEO'
  state: 'PROCESSING' | 'READY' | 'REJECTED'
  rejectedReason: string | null
  fileName: string
  mimeType: string
  fileSize: number
  width: number | null
  height: number | null
  duration: number | null
  originalKey: string
  originalSize: number
  storageKey: string | null
  thumbnailKey: string | null
  altText: Generated<string>
  tags: Generated<string[]>
  version: Generated<number>
  createdBy: string | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
  codec: string | null
  frameRate: number | null
  deletedAt: Date | null
  aiGenerated: Generated<boolean>
  rejectedCode: string | null
}

export interface MediaRenditionTable {
  workspaceId: string
  mediaFileId: string
  platform: string
  storageKey: string
  mimeType: string
  fileSize: number
  width: number
  height: number
  createdAt: Generated<Date>
}

export interface MediaUploadTable {
  workspaceId: string
  id: string
  createdBy: string
  fileName: string
  declaredType: string
  size: number
  mediaFileId: string | null
  createdAt: Generated<Date>
  expiresAt: Date
}

export interface MemberTable {
  workspaceId: string
  userId: string
  role: 'OWNER' | 'ADMIN' | 'EDITOR' | 'VIEWER' | 'CLIENT'
  joinedAt: Generated<Date>
}

export interface MigrationTable {
  name: string
  checksum: string
  appliedAt: Generated<Date>
}

export interface NetworkCallTable {
  app: string
  userKey: string
  minute: Date
  calls: number
}

export interface NetworkUserTable {
  app: string
  userKey: string
  blockedUntil: Date | null
  usageLimit: number | null
  usageLimitUntil: Date | null
}

export interface NotificationTable {
  userId: string
  id: string
  workspaceId: string | null
  kind: string
  data: Generated<unknown>
  inApp: Generated<boolean>
  mailAt: Date | null
  mailedAt: Date | null
  readAt: Date | null
  createdAt: Generated<Date>
}

export interface NotificationPreferenceTable {
  userId: string
  kind: string
  inApp: boolean
  mail: boolean
}

export interface OauthStateTable {
  stateHash: string
  browserHash: string
  provider: string
  userId: string | null
  workspaceId: string | null
  redirect: string
  expiresAt: Date
  purpose: Generated<'connect' | 'login' | 'join'>
  sessionId: string | null
}

export interface OneTimeCodeTable {
  destination: string
  purpose: 'login' | 'verify'
  userId: string | null
  codeHash: string
  tries: Generated<number>
  sentAt: Date
  expiresAt: Date
}

export interface PasswordResetTable {
  userId: string
  tokenHash: string
  email: string
  expiresAt: Date
  spentAt: Date | null
}

export interface PlanTable {
  id: string
  position: number
}

export interface PlanFeatureTable {
  planId: string
  featureId: string
}

export interface PlanQuotaTable {
  planId: string
  quotaId: string
  amount: number | null
}

export interface PostTable {
  workspaceId: string
  id: string
  caption: Generated<string>
  hashtags: Generated<string[]>
  cta: Generated<string>
  mediaType: 'IMAGE' | 'VIDEO' | 'CAROUSEL' | null
  captionOverrides: Generated<unknown>
  hashtagOverrides: Generated<unknown>
  platformOptions: Generated<unknown>
  status: 'DRAFT' | 'SCHEDULED' | 'PUBLISHING' | 'PUBLISHED' | 'PARTIALLY_PUBLISHED' | 'FAILED'
  scheduledAt: Date | null
  publishedAt: Date | null
  late: Generated<boolean>
  checks: Generated<unknown>
  version: Generated<number>
  createdBy: string | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
  deletedAt: Date | null
  happensAt: GeneratedAlways<Date>
  approved: Generated<boolean>
  linkTags: Generated<unknown>
}

export interface PostCommentTable {
  workspaceId: string
  id: string
  postId: string
  authorId: string | null
  authorName: string
  text: string
  mentions: Generated<unknown>
  deletedAt: Date | null
  createdAt: Generated<Date>
}

export interface PostMediaTable {
  workspaceId: string
  postId: string
  mediaFileId: string
  sortOrder: number
  platforms: string[] | null
  crops: Generated<unknown>
}

export interface PostTagsTable {
  workspaceId: string
  postId: string
  topic: string
  format: 'text' | 'picture' | 'carousel' | 'video'
  tone: string
  taggedAt: Generated<Date>
  captionHash: Buffer | null
}

export interface PostVersionTable {
  workspaceId: string
  id: string
  postId: string
  version: number
  content: unknown
  savedBy: string | null
  savedAt: Generated<Date>
}

export interface PostingQueueTable {
  workspaceId: string
  slots: Generated<unknown>
  version: Generated<number>
  updatedAt: Generated<Date>
}

export interface PublicationTable {
  workspaceId: string
  id: string
  postId: string
  accountId: string
  position: number
  state: Generated<'PENDING' | 'PREPARING' | 'SUBMITTING' | 'PUBLISHED' | 'FAILED' | 'UNCONFIRMED'>
  phase: 'commit' | 'confirm' | null
  droppedAt: Date | null
  fence: Generated<number>
  tries: Generated<number>
  failures: Generated<number>
  backoffs: Generated<number>
  dueAt: Date | null
  nextAt: Date | null
  turn: Date | null
  leaseUntil: Date | null
  intentAt: Date | null
  absentReads: Generated<number>
  absentAt: Date | null
  lateReads: Generated<number>
  lateReadAt: Date | null
  waitReason: string | null
  handles: Generated<unknown>
  composed: string | null
  sent: unknown
  externalId: string | null
  permalink: string | null
  publishedAt: Date | null
  error: unknown
  updatedAt: Generated<Date>
  acceptedAt: Date | null
  unreadSince: Date | null
  firstIntentAt: Date | null
  textKey: string | null
  networkAt: Date | null
  limitedUntil: Date | null
  unproven: Generated<boolean>
  delayToldAt: Date | null
}

export interface QuotaTable {
  id: string
  kind: 'monthly' | 'stock'
}

export interface RequestWindowTable {
  key: string
  taken: number
  endsAt: Date
}

export interface ReviewLinkTable {
  workspaceId: string
  id: string
  postId: string
  tokenHash: string
  name: string
  createdBy: string | null
  expiresAt: Date
  revokedAt: Date | null
  openedAt: Date | null
  createdAt: Generated<Date>
}

export interface SavedWritingTable {
  workspaceId: string
  id: string
  kind: 'hashtags' | 'template'
  name: string
  content: unknown
  version: Generated<number>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

export interface SecretCanaryTable {
  singleton: Generated<boolean>
  sealed: string
}

export interface SecurityEventTable {
  id: string
  userId: string | null
  action: string
  detail: Generated<unknown>
  ip: string | null
  requestId: string | null
  at: Generated<Date>
  object: Generated<unknown>
}

export interface SessionTable {
  id: string
  userId: string
  currentToken: string
  issuedAt: Date
  previousToken: string | null
  lastUsedAt: Date
  expiresAt: Date
  endedAt: Date | null
  endReason: 'logout' | 'reuse' | 'password' | 'revoked' | 'disabled' | null
  userAgent: string | null
  ip: string | null
  createdAt: Generated<Date>
  method: Generated<'password' | 'phone' | 'email_code' | 'IDP_A' | 'IDP_B' | 'invitation'>
}

export interface SocialAccountTable {
  workspaceId: string
  id: string
  platform: string
  externalId: string
  networkUser: string
  name: string
  username: string | null
  avatarUrl: string | null
  profileUrl: string | null
  status: 'CONNECTED' | 'RECONNECT_NEEDED' | 'DISCONNECTED'
  pausedAt: Date | null
  accessToken: string | null
  userToken: string | null
  tokenExpiresAt: Date | null
  grantedScopes: Generated<string[]>
  version: Generated<number>
  connectedBy: string | null
  connectedAt: Date
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
  refreshToken: string | null
  refreshExpiresAt: Date | null
  refreshingUntil: Date | null
}

export interface SubscriptionTable {
  workspaceId: string
  planId: string
  status: Generated<'active'>
  updatedAt: Generated<Date>
}

export interface TryCountTable {
  key: string
  tries: number
  endsAt: Date
}

export interface UsageHoldTable {
  workspaceId: string
  id: string
  quotaId: string
  period: string
  amount: number
  expiresAt: Date
}

export interface UserIdentityTable {
  issuer: string
  subject: string
  id: string
  provider: 'IDP_A' | 'IDP_B'
  userId: string
  email: string | null
  createdAt: Generated<Date>
  lastUsedAt: Generated<Date | null>
}

export interface WorkspaceTable {
  id: string
  name: string
  timezone: string
  weekStart: Generated<'monday' | 'sunday' | 'saturday'>
  language: Generated<string>
  niche: string | null
  approvalMode: Generated<'none' | 'optional' | 'required' | 'required_with_client'>
  publishingPausedAt: Date | null
  publishingPausedReason: string | null
  botPausedAt: Date | null
  botPausedReason: string | null
  version: Generated<number>
  createdBy: string | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
  deletedAt: Date | null
  publishingOnResume: Generated<'send' | 'draft'>
  linkTags: Generated<unknown>
}

export interface WorkspaceInvitationTable {
  workspaceId: string
  id: string
  email: string
  role: 'OWNER' | 'ADMIN' | 'EDITOR' | 'VIEWER' | 'CLIENT'
  tokenHash: string
  invitedBy: string | null
  expiresAt: Date
  acceptedAt: Date | null
  createdAt: Generated<Date>
}

export interface WorkspaceUsageTable {
  workspaceId: string
  quotaId: string
  period: string
  used: Generated<number>
}

export interface Tables {
  aiGeneration: AiGenerationTable
  aiSuggestion: AiSuggestionTable
  appClock: AppClockTable
  appUser: AppUserTable
  approvalRequest: ApprovalRequestTable
  auditEntry: AuditEntryTable
  brandVoice: BrandVoiceTable
  credentialUndo: CredentialUndoTable
  creditEntry: CreditEntryTable
  feature: FeatureTable
  firstComment: FirstCommentTable
  idempotencyKey: IdempotencyKeyTable
  mediaCrop: MediaCropTable
  mediaFile: MediaFileTable
  mediaRendition: MediaRenditionTable
  mediaUpload: MediaUploadTable
  member: MemberTable
  migration: MigrationTable
  networkCall: NetworkCallTable
  networkUser: NetworkUserTable
  notification: NotificationTable
  notificationPreference: NotificationPreferenceTable
  oauthState: OauthStateTable
  oneTimeCode: OneTimeCodeTable
  passwordReset: PasswordResetTable
  plan: PlanTable
  planFeature: PlanFeatureTable
  planQuota: PlanQuotaTable
  post: PostTable
  postComment: PostCommentTable
  postMedia: PostMediaTable
  postTags: PostTagsTable
  postVersion: PostVersionTable
  postingQueue: PostingQueueTable
  publication: PublicationTable
  quota: QuotaTable
  requestWindow: RequestWindowTable
  reviewLink: ReviewLinkTable
  savedWriting: SavedWritingTable
  secretCanary: SecretCanaryTable
  securityEvent: SecurityEventTable
  session: SessionTable
  socialAccount: SocialAccountTable
  subscription: SubscriptionTable
  tryCount: TryCountTable
  usageHold: UsageHoldTable
  userIdentity: UserIdentityTable
  workspace: WorkspaceTable
  workspaceInvitation: WorkspaceInvitationTable
  workspaceUsage: WorkspaceUsageTable
}
