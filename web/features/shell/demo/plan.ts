import type { Thread } from '../../../../src/conversations/threads/api.ts'

// What happens in the demo café, in every language. The texts are in words/. Days count from today; times are in the
// workspace's zone.

/** The files that ship with the app. */
export const FILES = ['autumn.jpg', 'beans.jpg', 'counter.jpg', 'pour.mp4', 'roast.mp4'] as const
export type FileName = (typeof FILES)[number]

/** The labels for posts and threads, with their colours. */
export const LABELS = { autumn: 'orange', roastery: 'purple', classes: 'teal', bar: 'blue' } as const
export type LabelName = keyof typeof LABELS

export type Where = 'page' | 'roastery' | 'photo' | 'video'
export interface Planned {
  on: readonly Where[]
  media?: readonly FileName[]
  labels?: readonly LabelName[]
}
export interface Timed extends Planned {
  day: number
  at: string
}

const everywhere = ['page', 'photo', 'video'] as const
const both = ['page', 'photo'] as const

/** The posts of the previous weeks. */
export const PAST = {
  hours: { day: -27, at: '17:30', on: ['page'] },
  morning: { day: -24, at: '09:00', on: both, media: ['counter.jpg'] },
  forty: { day: -20, at: '12:15', on: ['roastery'], labels: ['roastery'] },
  huila: { day: -17, at: '18:00', on: both, labels: ['roastery'], media: ['beans.jpg'] },
  quiet: { day: -13, at: '08:30', on: everywhere, labels: ['bar'], media: ['pour.mp4'] },
  latteArt: { day: -10, at: '16:00', on: ['page'], labels: ['classes'] },
  jumper: { day: -8, at: '09:00', on: both, labels: ['autumn'], media: ['autumn.jpg'] },
  thanks: { day: -6, at: '12:00', on: ['photo'], labels: ['classes'], media: ['counter.jpg'] },
  grind: { day: -3, at: '17:00', on: ['page', 'roastery'] },
} as const satisfies Record<string, Timed>
export type PastName = keyof typeof PAST

/**
 * Published while the demo is created. The video network refuses the second, because its video exceeds the account's
 * limit.
 */
export const NOW = {
  pumpkin: { on: both, labels: ['autumn'], media: ['autumn.jpg'] },
  roast: { on: everywhere, labels: ['roastery', 'bar'], media: ['roast.mp4'] },
} as const satisfies Record<string, Planned>

export const SCHEDULED = {
  pour: { day: 1, at: '09:00', on: everywhere, labels: ['bar'], media: ['pour.mp4'] },
  ethiopian: { day: 2, at: '18:30', on: both, labels: ['roastery'], media: ['beans.jpg', 'counter.jpg'] },
  croissant: { day: 4, at: '08:15', on: ['page'] },
  baristas: { day: 6, at: '12:00', on: both, labels: ['bar'], media: ['counter.jpg'] },
  subscription: { day: 11, at: '17:00', on: ['roastery'], labels: ['roastery'] },
} as const satisfies Record<string, Timed>

/** Written by the editor and waiting for approval. The client comments on the one for clients. */
export const IN_REVIEW = {
  buns: { day: 3, at: '16:30', client: false, on: both, labels: ['autumn'], media: ['autumn.jpg'] },
  cupping: { day: 8, at: '10:00', client: true, on: ['page'], labels: ['classes'] },
} as const satisfies Record<string, Timed & { client: boolean }>

/** Rejected and returned to the editor with a reason. */
export const SENT_BACK = {
  cups: { day: 5, at: '11:00', on: both, media: ['counter.jpg'] },
} as const satisfies Record<string, Timed>

export const DRAFTS = {
  corner: { on: ['page'] },
  gifts: { on: both, labels: ['autumn'], media: ['beans.jpg'] },
} as const satisfies Record<string, Planned>

const posts = { ...PAST, ...NOW, ...SCHEDULED, ...IN_REVIEW, ...SENT_BACK, ...DRAFTS }
export type PostName = keyof typeof posts

/** The pairs of the A/B test, in days after Monday. */
export const PAIRS = { window: 1, milk: 2, brewer: 3 } as const
export type PairName = keyof typeof PAIRS

export const SLOTS = (['monday', 'wednesday', 'friday'] as const).map((day) => ({ day, time: '09:00' }))

/** A customer's message, and what the café does about it. */
export interface PlannedThread {
  on: Extract<Where, 'page' | 'photo'>
  /** The post that the customer comments on; without it, a direct message. */
  post?: PastName
  /** How many minutes ago the customer wrote. */
  ago: number
  /** How many minutes ago the café answered in the network's own app. Without it, the owner answers now. */
  answered?: number
  label?: LabelName
  urgency?: Thread['urgency']
  assigned?: true
  end?: 'closed' | 'snoozed' | 'escalated'
}

/** The conversations of a café's day. */
export const THREADS = {
  plastic: { ago: 6, on: 'page', post: 'hours', urgency: 'CRITICAL', end: 'escalated' },
  late: { ago: 52, on: 'photo', post: 'huila', urgency: 'HIGH', label: 'roastery' },
  decaf: { ago: 1560, answered: 1545, on: 'photo', post: 'huila' },
  ship: { ago: 38, on: 'photo', urgency: 'HIGH', assigned: true },
  abroad: { ago: 61, on: 'photo', post: 'huila' },
  wholesale: { ago: 252, on: 'page', post: 'morning', label: 'roastery' },
  grinder: { ago: 190, on: 'page', post: 'quiet', assigned: true },
  capsules: { ago: 74, on: 'page', post: 'huila' },
  open: { ago: 25, on: 'page', post: 'hours' },
  market: { ago: 843, on: 'page', post: 'jumper', urgency: 'LOW' },
  beginners: { ago: 421, on: 'photo', post: 'morning', label: 'classes', urgency: 'LOW' },
  regrind: { ago: 305, on: 'photo', post: 'quiet', urgency: 'LOW' },
  press: { ago: 281, on: 'photo', urgency: 'LOW', assigned: true },
  praise: { ago: 2890, answered: 2850, on: 'page', post: 'morning', end: 'closed' },
  table: { ago: 180, on: 'page', post: 'latteArt', end: 'snoozed' },
  vegan: { ago: 1310, answered: 1298, on: 'photo', post: 'jumper', label: 'autumn' },
  guess: { ago: 4340, answered: 4290, on: 'photo', post: 'jumper', label: 'autumn', end: 'closed' },
  full: { ago: 149, on: 'page', post: 'huila', label: 'classes' },
  welcome: { ago: 5830, answered: 5801, on: 'page', post: 'hours', end: 'closed' },
  scarf: { ago: 95, on: 'page' },
} as const satisfies Record<string, PlannedThread>
export type ThreadName = keyof typeof THREADS

/** How many people comment on the video of a post. The network reports only the number. */
export const VIDEO_COMMENTS = { quiet: 3 } as const satisfies Partial<Record<PastName, number>>

/** Where customers write once the bot is on. It answers three, holds one, and escalates the last. */
export const ASKED = {
  hours: 'page',
  other: 'photo',
  outside: 'page',
  held: 'photo',
  escalated: 'page',
} as const satisfies Record<string, PlannedThread['on']>
export type AskedName = keyof typeof ASKED

/** The entries of a plan, in order and with typed names. */
export const entriesOf = <Name extends string, Part>(plan: Readonly<Partial<Record<Name, Part>>>) =>
  Object.entries(plan) as [Name, Part][]
