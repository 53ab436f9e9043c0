import * as z from 'zod'
import {
  Empty,
  type Endpoint,
  Id,
  IdParams,
  NoBody,
  PageQuery,
  pageOf,
  patchOf,
  Timestamp,
} from '../../core/http/endpoint.ts'
import { Platform } from '../../networks/api.ts'
import { AnalyticsBasis, AnalyticsOverview, RankedPost, TagGroup } from '../analytics/api.ts'
import { BestTimes } from '../predictions/api.ts'

const tags = ['Reports'] as const
const reader = { role: 'VIEWER', feature: 'analytics' } as const
const writer = { role: 'EDITOR', feature: 'analytics' } as const

/** The maximum number of reports of a workspace. */
export const MOST_REPORTS = 100
/** How many days a link lives by default, and at most. */
export const USUAL_LINK = 90
const LONGEST_LINK = 400

const Day = z.iso.date()

/** The sections of a report, in the order in which it shows them. */
const REPORT_SECTIONS = ['overview', 'posts', 'tags', 'bestTimes'] as const
const ReportSection = z.enum(REPORT_SECTIONS)
export type ReportSection = z.infer<typeof ReportSection>

const ReportRange = z
  .union([
    z.literal('last_month'),
    z.strictObject({ from: Day, to: Day.describe('End, exclusive') }).describe('At most 366 days'),
  ])
  .describe('Days in the time zone of the workspace. `last_month`: the calendar month before the current one')

const MailFailure = z.enum(['no_mail_server', 'no_address', 'not_taken', 'link_ended', 'not_a_reader'])

/** A monthly mail to a member. */
export const ReportMail = z
  .strictObject({
    userId: Id,
    name: z.string(),
    month: Day.describe('First day of the month that the email is about'),
    state: z.enum(['waiting', 'sent', 'failed']),
    error: MailFailure.nullable().describe(
      '`not_taken`: the mail server rejected the email, or the attempt was interrupted. `no_address`: the member has no confirmed address. ' +
        '`not_a_reader`: the member no longer gets the report, or is a CLIENT and the report isn’t for clients',
    ),
    detail: z.string().nullable().describe('Response of the mail server, as codes'),
    at: Timestamp.describe('Since when the email is in this state'),
  })
  .meta({ id: 'ReportMail' })
export type ReportMail = z.infer<typeof ReportMail>

/** The figures that a workspace shows to its clients. */
export const Report = z
  .strictObject({
    id: Id,
    name: z.string(),
    sections: z.array(ReportSection),
    range: ReportRange,
    note: z.string(),
    accountIds: z.array(Id).describe('Empty for all accounts'),
    forClients: z.boolean().describe('Whether each CLIENT sees the snapshots that are created from now on'),
    mailTo: z
      .array(Id)
      .describe(
        'User IDs of the members who get the report by email on the 3rd of each month. Requires the range `last_month`',
      ),
    nextMailOn: Day.nullable().describe(
      'Day of the next email, in the time zone of the workspace. Null if nobody gets one',
    ),
    mails: z.array(ReportMail).describe('Emails for the latest month that was emailed'),
    version: z.int(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Report' })
export type Report = z.infer<typeof Report>

const distinct = <T extends z.ZodType>(item: T, most: number) => z.array(item).max(most)

const writable = {
  name: z.string().trim().min(1).max(80),
  sections: distinct(ReportSection, REPORT_SECTIONS.length).min(1),
  range: ReportRange,
  note: z.string().trim().max(2000),
  accountIds: distinct(Id, 100),
  forClients: z.boolean(),
  mailTo: distinct(Id, 50),
}
export const NewReport = z.strictObject({
  ...writable,
  note: writable.note.default(''),
  accountIds: writable.accountIds.default([]),
  forClients: writable.forClients.default(false),
  mailTo: writable.mailTo.default([]),
})
export type NewReport = z.infer<typeof NewReport>
export const ReportPatch = patchOf({ ...z.strictObject(writable).partial().shape }, Report)
export type ReportPatch = z.infer<typeof ReportPatch>

/** A post in a report. */
const ReportPost = RankedPost.pick({
  accountName: true,
  platform: true,
  kind: true,
  caption: true,
  permalink: true,
  publishedAt: true,
  views: true,
  reach: true,
  engagement: true,
  rate: true,
  againstMedian: true,
})
export type ReportPost = z.infer<typeof ReportPost>

const whole = z.int()

/** The figures of a report by its sections. */
export const ReportFigures = z
  .strictObject({
    overview: AnalyticsOverview.nullable(),
    posts: z
      .strictObject({
        data: z.array(ReportPost).describe('The posts with the most views'),
        count: whole.describe('Number of posts in the period'),
        divisor: z.enum(['reach', 'views', 'followers']).nullable().describe('Divisor of every rate'),
        basis: AnalyticsBasis,
      })
      .nullable(),
    tags: z
      .array(
        z.strictObject({
          by: z.enum(['topic', 'format', 'tone']),
          data: z.array(TagGroup).describe('Highest estimate first, groups with few posts last'),
          leftOut: whole.describe('Number of posts left out because their engagement after 7 days is unknown'),
        }),
      )
      .nullable()
      .describe('Compares posts at the same age: 7 days after publishing'),
    bestTimes: z
      .array(BestTimes.extend({ accountName: z.string(), platform: Platform }))
      .nullable()
      .describe('One entry per account'),
  })
  .describe('Sections that aren’t part of the report are null')
  .meta({ id: 'ReportFigures' })
export type ReportFigures = z.infer<typeof ReportFigures>

const told = {
  name: z.string(),
  note: z.string(),
  from: Day,
  to: Day.describe('End, exclusive'),
}

/** A report at one point in time. Nothing about it changes, except that its link can be revoked. */
export const ReportSnapshot = z
  .strictObject({
    id: Id,
    reportId: Id,
    ...told,
    url: z.string().nullable().describe('The link. Shown only once'),
    createdBy: z
      .strictObject({ id: Id.nullable().describe('Null for a CLIENT'), name: z.string() })
      .nullable()
      .describe('Null if it was created for the monthly email'),
    createdAt: Timestamp,
    endsAt: Timestamp,
    revokedAt: Timestamp.nullable(),
  })
  .meta({ id: 'ReportSnapshot' })
export type ReportSnapshot = z.infer<typeof ReportSnapshot>

export const WholeSnapshot = ReportSnapshot.extend({ timezone: z.string(), figures: ReportFigures }).meta({
  id: 'WholeSnapshot',
})
export type WholeSnapshot = z.infer<typeof WholeSnapshot>

/** What the link of a snapshot shows to anyone. */
export const SharedReport = z
  .strictObject({
    workspace: z.strictObject({ name: z.string(), timezone: z.string() }),
    ...told,
    createdAt: Timestamp,
    endsAt: Timestamp,
    figures: ReportFigures,
  })
  .meta({ id: 'SharedReport' })
export type SharedReport = z.infer<typeof SharedReport>

/** What a snapshot would show now. */
export const ReportPreview = z.strictObject({ ...told, figures: ReportFigures }).meta({ id: 'ReportPreview' })
export type ReportPreview = z.infer<typeof ReportPreview>

const list = z.strictObject({ workspaceId: z.string().optional(), ...PageQuery })

export const listReports = {
  method: 'GET',
  url: '/analytics/reports',
  config: { gate: reader },
  schema: {
    operationId: 'listReports',
    summary: 'List reports, newest first',
    tags,
    querystring: list,
    response: { 200: pageOf(Report) },
  },
} as const satisfies Endpoint

export const createReport = {
  method: 'POST',
  url: '/analytics/reports',
  config: { gate: writer },
  schema: {
    operationId: 'createReport',
    summary: 'Create a report',
    description: 'Members in `mailTo` get the report on the 3rd of each month.',
    tags,
    body: NewReport,
    response: { 201: Report },
  },
} as const satisfies Endpoint

export const getReport = {
  method: 'GET',
  url: '/analytics/reports/:id',
  config: { gate: reader },
  schema: {
    operationId: 'getReport',
    summary: 'Get a report with the state of its latest emails',
    tags,
    params: IdParams,
    response: { 200: Report },
  },
} as const satisfies Endpoint

export const updateReport = {
  method: 'PATCH',
  url: '/analytics/reports/:id',
  config: { gate: writer },
  schema: {
    operationId: 'updateReport',
    summary: 'Update a report (supports If-Match)',
    description: 'Existing snapshots don’t change.',
    tags,
    params: IdParams,
    body: ReportPatch,
    response: { 200: Report },
  },
} as const satisfies Endpoint

export const deleteReport = {
  method: 'DELETE',
  url: '/analytics/reports/:id',
  config: { gate: writer },
  schema: {
    operationId: 'deleteReport',
    summary: 'Delete a report and its snapshots, and revoke their links',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const previewReport = {
  method: 'GET',
  url: '/analytics/reports/:id/preview',
  config: { gate: reader },
  schema: {
    operationId: 'previewReport',
    summary: 'Preview what a snapshot of a report would show now',
    tags,
    params: IdParams,
    response: { 200: ReportPreview },
  },
} as const satisfies Endpoint

export const shareReport = {
  method: 'POST',
  url: '/analytics/reports/:id/snapshots',
  config: { gate: writer, shownOnce: ['url'] },
  schema: {
    operationId: 'shareReport',
    summary: 'Create a snapshot of a report; its `url` is shown once',
    description: 'Stores the metrics as they are now. Anyone with the link can see them.',
    tags,
    params: IdParams,
    body: z.strictObject({ days: z.int().min(1).max(LONGEST_LINK).default(USUAL_LINK) }),
    response: { 201: WholeSnapshot },
  },
} as const satisfies Endpoint

export const resendReport = {
  method: 'POST',
  url: '/analytics/reports/:id/mails/resend',
  config: { gate: writer },
  schema: {
    operationId: 'resendReport',
    summary: 'Resend the failed emails of the last month',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 200: Report },
  },
} as const satisfies Endpoint

export const listReportSnapshots = {
  method: 'GET',
  url: '/analytics/snapshots',
  config: { gate: { ...reader, client: true } },
  schema: {
    operationId: 'listReportSnapshots',
    summary: 'List snapshots, newest first',
    description: 'A CLIENT gets only snapshots that were and still are for clients and whose links weren’t revoked.',
    tags,
    querystring: list.extend({ reportId: Id.optional() }),
    response: { 200: pageOf(ReportSnapshot) },
  },
} as const satisfies Endpoint

export const getReportSnapshot = {
  method: 'GET',
  url: '/analytics/snapshots/:id',
  config: { gate: { ...reader, client: true } },
  schema: {
    operationId: 'getReportSnapshot',
    summary: 'Get a snapshot with its metrics',
    tags,
    params: IdParams,
    response: { 200: WholeSnapshot },
  },
} as const satisfies Endpoint

export const revokeReportSnapshot = {
  method: 'DELETE',
  url: '/analytics/snapshots/:id',
  config: { gate: writer },
  schema: {
    operationId: 'revokeReportSnapshot',
    summary: 'Revoke the link of a snapshot',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const getSharedReport = {
  method: 'GET',
  url: '/reports/:token',
  config: { gate: 'public' },
  schema: {
    operationId: 'getSharedReport',
    summary: 'Get the report behind a link',
    tags,
    params: z.object({ token: z.string().max(200) }),
    response: { 200: SharedReport },
  },
} as const satisfies Endpoint
