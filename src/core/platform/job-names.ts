import * as z from 'zod'

/** Marks a job for its own workspace in a queue that also has a job for all workspaces. Stored jobs have this name. */
const ofOneWorkspace = { own: z.literal(true) }

/**
 * Every queue with the schema of its job data. The runner parses with these schemas, and `enqueue` takes its types from
 * them.
 */
export const jobs = {
  /** Decodes an uploaded picture and makes the served file and its thumbnail. */
  media: z.strictObject({ mediaFileId: z.uuid() }),
  /** Does the work of `media`, or makes the crops, for a picture that exceeded the time of `media` or `media-crops`. */
  'media-slow': z.strictObject({ mediaFileId: z.uuid(), crops: z.literal(true).optional() }),
  /** Does the work of `media` for an uploaded video. */
  'media-video': z.strictObject({ mediaFileId: z.uuid() }),
  /** Makes a picture's crops for the networks. */
  'media-crops': z.strictObject({ mediaFileId: z.uuid() }),
  /** Checks posts again after a change outside them, such as a ready file or a connected account. */
  'flight-check': z.union([
    z.strictObject({ mediaFileId: z.uuid() }),
    z.strictObject({ accountId: z.uuid() }),
    /** All scheduled posts. */
    z.strictObject({ scheduled: z.literal(true) }),
    /** One scheduled post; the job enqueues its next check. */
    z.strictObject({ postId: z.uuid() }),
  ]),
  /** Removes bytes that no row names. */
  'storage-removal': z.strictObject({ keys: z.array(z.string()) }),
  /** Finds bytes that no row names, and unfinished uploads. */
  'storage-clean': z.strictObject({}),
  /** Revokes a network's permission after an account was disconnected. The token is sealed. */
  'account-revocation': z.strictObject({
    accountId: z.uuid(),
    platform: z.string(),
    externalId: z.string(),
    userKey: z.string(),
    sealedToken: z.string(),
  }),
  /** Looks up the id of a live post, if its network gives the id only later. */
  'id-lookup': z.strictObject({ publicationId: z.uuid(), looked: z.int() }),
  /** Has the network send the events of an account to this service. */
  'webhook-subscription': z.strictObject({ accountId: z.uuid() }),
  /** Applies the events that a network sent for an account. */
  'webhook-process': z.strictObject({ accountId: z.uuid() }),
  /** Reads what a network did not report about an account. Continues later with the steps that are left. */
  'inbox-reading': z.strictObject({
    accountId: z.uuid(),
    begun: z.iso.datetime().optional(),
    steps: z
      .array(
        z.discriminatedUnion('list', [
          z.strictObject({ list: z.literal('conversations'), after: z.string().nullable() }),
          z.strictObject({ list: z.literal('messages'), conversation: z.string(), after: z.string().nullable() }),
          z.strictObject({
            list: z.literal('comments'),
            post: z.string(),
            after: z.string().nullable(),
            before: z.iso.datetime().optional(),
          }),
          z.strictObject({ list: z.literal('comment'), comment: z.string(), after: z.null() }),
        ]),
      )
      .optional(),
  }),
  'analytics-sync': z.union([
    /** Reads the figures of an account's posts and enqueues the next reading. */
    z.strictObject({ accountId: z.uuid() }),
    /** Stores the last figures of a story, which the network reports after the story has expired. */
    z.strictObject({
      accountId: z.uuid(),
      story: z.strictObject({
        externalId: z.string(),
        at: z.iso.datetime(),
        reach: z.int().nullable(),
        impressions: z.int().nullable(),
      }),
    }),
    /** Finds accounts that are due for a reading but have no job for it. */
    z.strictObject({}),
  ]),
  'competitor-reading': z.union([
    /** Reads a competitor's account and enqueues the next reading. */
    z.strictObject({ competitorId: z.uuid() }),
    /** Finds competitors whose reading is overdue, because its job fails or does not exist. */
    z.strictObject({}),
  ]),
  'ab-test-check': z.union([
    /** Ends a test of posts when the results of all its blocks are in. */
    z.strictObject({ testId: z.uuid() }),
    /** Finds running tests that were not checked for a day. */
    z.strictObject({}),
  ]),
  'report-monthly': z.union([
    /** Makes a report's snapshot of a month and mails it to its readers. */
    z.strictObject({ reportId: z.uuid(), mailOn: z.iso.date() }),
    /** Finds the reports whose mail is due. */
    z.strictObject({}),
  ]),
  /** Gives a report's monthly mail to the mail server. */
  'report-mail': z.strictObject({ mailId: z.uuid() }),
  /** Fetches a file of a message before the network’s address for it expires. */
  attachment: z.strictObject({ attachmentId: z.uuid() }),
  /** Reopens a snoozed thread at its time. */
  'thread-wake': z.strictObject({ threadId: z.uuid() }),
  /** Asks a network for the name of a person who wrote a direct message. */
  'customer-profile': z.strictObject({ identityId: z.uuid() }),
  'customer-erasure': z.union([
    /** Erases a customer: name, ids, texts and files. `silent`: unless they have written again since. */
    z.strictObject({ customerId: z.uuid(), silent: z.literal(true).optional() }),
    /** Finds customers of the workspace without contact for too long, in pages after an id. */
    z.strictObject({ ...ofOneWorkspace, after: z.uuid().optional() }),
    /** Finds the workspaces with such customers. */
    z.strictObject({}),
  ]),
  /**
   * Finds workspaces with something to watch, and deletes old raw events. For one workspace: notifies its people of
   * customers who wait too long, and closes threads that the bot has answered.
   */
  'inbox-watch': z.strictObject(ofOneWorkspace).partial(),
  /** Renews an account's tokens before they expire. `failingSince` is the time of the first failure in a row. */
  'token-refresh': z.strictObject({ accountId: z.uuid(), failingSince: z.iso.datetime().optional() }),
  /** Gives a letter to the mail server. Address and text are sealed. */
  mail: z.strictObject({ id: z.uuid(), kind: z.string(), sealed: z.string(), until: z.iso.datetime().optional() }),
  /** Gives a text message to the SMS provider. Number and text are sealed. */
  sms: z.strictObject({ id: z.uuid(), sealed: z.string(), until: z.iso.datetime() }),
  /** Sends a one-time code, if it has a recipient. All data is sealed. */
  'one-time-code': z.strictObject({ id: z.uuid(), sealed: z.string() }),
  /** Mails a link for a new password, if the address has an account. `id` is the request; older jobs have none. */
  'password-reset': z.strictObject({ email: z.string(), id: z.uuid().optional() }),
  /** Mails a person the unread notices of the workspace. */
  'notification-mail': z.strictObject({ userId: z.uuid() }),
  /** Sends a reminder of a request for approval that is still undecided. */
  'approval-reminder': z.strictObject({ approvalId: z.uuid() }),
  'ai-suggestions': z.union([
    /** Runs a model call that a person waits for. */
    z.strictObject({ generationId: z.uuid() }),
    /** Ends model calls that their process left unfinished. */
    z.strictObject({}),
  ]),
  /** Finds workspaces whose day has begun. For one workspace: prepares ideas for posts. */
  'suggestions-daily': z.strictObject(ofOneWorkspace).partial(),
  'post-classify': z.union([
    /** Finds the topic and tone of a post made with AI. */
    z.strictObject({ postId: z.uuid() }),
    /** Tags the workspace's live posts that have no tags. */
    z.strictObject(ofOneWorkspace),
    /** Finds the workspaces with such posts. */
    z.strictObject({}),
  ]),
  'ice-process': z.union([
    /** Decides about a customer's message, or continues a decision. */
    z.strictObject({ decisionId: z.uuid() }),
    /** Ends a draft whose window has closed. */
    z.strictObject({ draftId: z.uuid() }),
    /** Continues the work that no process holds, in all workspaces. */
    z.strictObject({}),
  ]),
  /**
   * Erases a batch of a workspace's rows 30 days after its deletion, and enqueues the next one. Without a workspace: finds
   * the workspaces whose time is over.
   */
  'workspace-erasure': z.strictObject({}),
} as const

export type Jobs = { [J in keyof typeof jobs]: z.infer<(typeof jobs)[J]> }
export type JobName = keyof Jobs

const pictures = ['media', 'media-crops'] as const satisfies JobName[]
const videos = ['media-video'] as const satisfies JobName[]
const slow = ['media-slow'] as const satisfies JobName[]
/**
 * Jobs in which the owners of workspaces take turns, each with the jobs that share these turns. All other jobs run in
 * order of arrival.
 */
export const sharedTurns: Readonly<Partial<Record<JobName, readonly JobName[]>>> = {
  media: pictures,
  'media-crops': pictures,
  'media-video': videos,
  'media-slow': slow,
}

const names = Object.keys(jobs) as JobName[]
const apart: JobName[][] = [
  [...pictures],
  [...videos],
  [...slow],
  ['storage-clean'],
  ['sms', 'one-time-code', 'password-reset'],
  ['mail', 'notification-mail', 'report-mail'],
  ['ai-suggestions'],
  ['post-classify'],
  ['ice-process'],
  ['webhook-process'],
  ['inbox-reading', 'attachment', 'customer-profile'],
  ['suggestions-daily', 'report-monthly'],
  ['analytics-sync', 'competitor-reading'],
  ['customer-erasure', 'workspace-erasure'],
]
/**
 * A process runs its lanes side by side, so slow jobs never delay quick ones. A lane runs one job at a time, unless
 * `atOnce` allows more.
 */
export const lanes: JobName[][] = [...apart, names.filter((name) => !apart.flat().includes(name))]
/**
 * The number of concurrent jobs in lanes whose jobs mostly wait for a model, while a person waits for the job, or for a
 * network.
 */
export const atOnce: Readonly<Partial<Record<JobName, number>>> = {
  'ai-suggestions': 12,
  'ice-process': 12,
  'analytics-sync': 4,
}

/**
 * Jobs that call a model give up soon. A file whose address does not work stays a link after some hours. All others are
 * retried for days.
 */
export const tries: Readonly<Partial<Record<JobName, number>>> = {
  'ai-suggestions': 5,
  'post-classify': 3,
  'ice-process': 5,
  'suggestions-daily': 3,
  attachment: 10,
}

/** Jobs at fixed times. Each runs once per time, in one of the processes. */
export const timetable = (workspaceId: string) =>
  (
    [
      ['23 * * * *', 'storage-clean'],
      ['7 * * * *', 'suggestions-daily'],
      ['37 * * * *', 'post-classify'],
      ['47 * * * *', 'competitor-reading'],
      ['53 * * * *', 'ab-test-check'],
      ['43 * * * *', 'report-monthly'],
      ['13 * * * *', 'workspace-erasure'],
      ['17 3 * * *', 'customer-erasure'],
      ['*/5 * * * *', 'ai-suggestions'],
      ['*/5 * * * *', 'inbox-watch'],
      ['*/5 * * * *', 'analytics-sync'],
      ['* * * * *', 'ice-process'],
    ] as const
  )
    .map(([time, name]) => `${time} ${name} ?max=3&jobKey=${name} ${JSON.stringify({ workspaceId, data: {} })}`)
    .join('\n')
