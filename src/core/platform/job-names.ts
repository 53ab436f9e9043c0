import * as z from 'zod'

/** Every queue with what its jobs carry. The runner parses by these; `enqueue` is typed by them. */
export const jobs = {
  /** Decodes an uploaded picture, makes what is served of it, and its thumbnail. */
  media: z.strictObject({ mediaFileId: z.uuid() }),
  /** Does the same, or makes its crops, for a picture that took `media` or `media-crops` too long. */
  'media-slow': z.strictObject({ mediaFileId: z.uuid(), crops: z.literal(true).optional() }),
  /** The same of an uploaded video. */
  'media-video': z.strictObject({ mediaFileId: z.uuid() }),
  /** Makes what is chosen of a picture for networks. */
  'media-crops': z.strictObject({ mediaFileId: z.uuid() }),
  /** Looks again at posts that something outside them may have changed: a file is ready, an account was connected. */
  'flight-check': z.union([
    z.strictObject({ mediaFileId: z.uuid() }),
    z.strictObject({ accountId: z.uuid() }),
    /** All that is on the schedule. */
    z.strictObject({ scheduled: z.literal(true) }),
    /** One that is on the schedule; it comes again by itself. */
    z.strictObject({ postId: z.uuid() }),
  ]),
  /** Removes bytes that no row names any more. */
  'storage-removal': z.strictObject({ keys: z.array(z.string()) }),
  /** Looks for bytes that no row names, and for uploads that nobody finished. */
  'storage-clean': z.strictObject({}),
  /** Takes back a network's permission after an account was disconnected. The token is sealed. */
  'account-revocation': z.strictObject({
    accountId: z.uuid(),
    platform: z.string(),
    externalId: z.string(),
    userKey: z.string(),
    sealedToken: z.string(),
  }),
  /** Looks for the id that a network gives a live post only later. */
  'id-lookup': z.strictObject({ publicationId: z.uuid(), looked: z.int() }),
  /** Renews an account's tokens before they end. */
  'token-refresh': z.strictObject({ accountId: z.uuid() }),
  /** Gives a letter to the mail server. Address and text are sealed. */
  mail: z.strictObject({ id: z.uuid(), kind: z.string(), sealed: z.string(), until: z.iso.datetime().optional() }),
  /** Gives a text message to the SMS provider. Number and text are sealed. */
  sms: z.strictObject({ id: z.uuid(), sealed: z.string(), until: z.iso.datetime() }),
  /** Sends a one-time code to whom it is for, if there is somebody. Everything about it is sealed. */
  'one-time-code': z.strictObject({ id: z.uuid(), sealed: z.string() }),
  /** Mails a link for a new password, if somebody has this address. */
  'password-reset': z.strictObject({ email: z.string() }),
  /** Mails somebody what they were told of the workspace and have not read. */
  'notification-mail': z.strictObject({ userId: z.uuid() }),
  /** Brings a request for approval to mind again that nobody has decided. */
  'approval-reminder': z.strictObject({ approvalId: z.uuid() }),
  'ai-suggestions': z.union([
    /** Asks the model for what somebody waits for. */
    z.strictObject({ generationId: z.uuid() }),
    /** Looks for what nobody ended. */
    z.strictObject({}),
  ]),
  /** Finds the workspaces whose day has begun; of one of them: prepares what could be posted next. */
  'suggestions-daily': z.strictObject({ own: z.literal(true).optional() }),
  /** Says what a post made with AI is about. */
  'post-classify': z.strictObject({ postId: z.uuid() }),
  /** Erases a workspace that was deleted 30 days ago. */
  'workspace-erasure': z.strictObject({}),
} as const

export type Jobs = { [J in keyof typeof jobs]: z.infer<(typeof jobs)[J]> }
export type JobName = keyof Jobs

const pictures = ['media', 'media-crops'] as const satisfies JobName[]
const videos = ['media-video'] as const satisfies JobName[]
const slow = ['media-slow'] as const satisfies JobName[]
/** Jobs that the owners of workspaces take turns at, each with the jobs that share its turns. All other jobs run in order of arrival. */
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
  ['mail', 'sms', 'one-time-code', 'password-reset', 'notification-mail'],
  ['ai-suggestions'],
  ['post-classify'],
  ['suggestions-daily'],
]
/** Each lane of a process takes one job at a time: what takes long never stands in the way of what is quick. */
export const lanes: JobName[][] = [...apart, names.filter((name) => !apart.flat().includes(name))]
/** But so many where a job does nothing but wait for a model, and a person for the job. */
export const atOnce: Readonly<Partial<Record<JobName, number>>> = { 'ai-suggestions': 12 }

/** What asks a model is soon given up; everything else is tried for days. */
export const tries: Readonly<Partial<Record<JobName, number>>> = {
  'ai-suggestions': 5,
  'post-classify': 3,
  'suggestions-daily': 3,
}

/** What is to be done at fixed times, whichever process is there then: once each time. */
export const timetable = (workspaceId: string) =>
  (
    [
      ['23 * * * *', 'storage-clean'],
      ['7 * * * *', 'suggestions-daily'],
      ['*/5 * * * *', 'ai-suggestions'],
    ] as const
  )
    .map(([time, name]) => `${time} ${name} ?max=3&jobKey=${name} ${JSON.stringify({ workspaceId, data: {} })}`)
    .join('\n')
