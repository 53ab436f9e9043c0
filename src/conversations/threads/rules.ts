import type { ThreadDeliveryKind } from '../../delivery/api.ts'
import type { Platform } from '../../networks/api.ts'
import { networks } from '../../networks/rules.ts'
import type { Message, ThreadStatus, Urgency } from './api.ts'

// How inbound events change a thread, as pure decisions.
//
// | Inbound event (key)                       | Effect                                                                      |
// | ----------------------------------------- | --------------------------------------------------------------------------- |
// | comment added (`c:id`)                    | a message IN of the COMMENT thread of root comment and author               |
// | own comment added (`c:id`)                | proves our delivery with that id, else AGENT_MANUAL of the network's inbox  |
// | comment edited (hash, with time)          | the text, if its time is later than the last edit                           |
// | comment removed (hash)                    | removed for good; one that comes first waits for its comment (ADR 0028)     |
// | comment hidden, shown (hash, with time)   | `hiddenAt`, if its time is later than the last change                       |
// | message (`m:mid`)                         | a message IN of the DM thread of account and sender; opens both windows     |
// | echo (`e:mid`)                            | proves our delivery (`metadata` or id), else AGENT_MANUAL; the bot pauses   |
// | message edited (`edit:mid:n`)             | the text, if n is higher                                                    |
// | message deleted (`del:mid`)               | removed for good                                                            |
// | reaction (hash, with time)                | the reaction, if its time is later                                          |
// | read (`read:sender:watermark`)            | `readUntil` of the thread, if later                                         |
// | anything else                             | counted and kept as raw event; changes nothing                              |
//
// A message IN opens a CLOSED or SNOOZED thread, raises the revision and begins the customer's wait. A message OUT of a person
// raises the revision and ends the wait. If it fails, a CLOSED or SNOOZED thread opens, and the customer waits again.

/** The urgencies, the least urgent first. */
export const URGENCIES: readonly Urgency[] = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']
/** Returns the urgencies above the given one. */
export const moreUrgentThan = (urgency: Urgency): Urgency[] => URGENCIES.slice(URGENCIES.indexOf(urgency) + 1)

/** The statuses in which a thread allows each action. */
export const ALLOWED = {
  escalate: ['OPEN', 'SNOOZED'],
  close: ['OPEN', 'ESCALATED', 'SNOOZED'],
  reopen: ['CLOSED', 'SNOOZED', 'ESCALATED'],
  snooze: ['OPEN', 'ESCALATED', 'SNOOZED'],
} as const satisfies Record<string, readonly ThreadStatus[]>

const HOUR = 3_600_000
/** Milliseconds after the bot's last message until its thread closes. */
export const CLOSED_AFTER = 24 * HOUR
/** How many milliseconds a customer may wait for an answer before people are notified. */
export const ANSWER_WITHIN: Record<Urgency, number> = {
  CRITICAL: HOUR / 4,
  HIGH: HOUR,
  MEDIUM: 4 * HOUR,
  LOW: 24 * HOUR,
}
/**
 * Networks accept any message within a day of the customer's last one, and a person's message within seven days if the
 * application may use the tag HUMAN_AGENT.
 */
export const WINDOW = 24 * HOUR
export const HUMAN_WINDOW = 7 * 24 * HOUR

/** Networks accept a private reply within seven days of the comment. */
export const PRIVATE_REPLY_WINDOW = 7 * 24 * HOUR

/** The kind of the message that each delivery of a thread sends or changes. */
export const MESSAGE_KINDS = {
  reply: 'COMMENT',
  private_reply: 'PRIVATE_REPLY',
  dm: 'DM',
  hide: 'COMMENT',
} as const satisfies Record<ThreadDeliveryKind, string>

/** Returns the limits of an answer at its network, or undefined if the network accepts none. */
export const roomFor = (platform: Platform, kind: ThreadDeliveryKind) =>
  networks[platform].answers?.[kind === 'reply' ? 'comment' : 'message']

/** Returns the size of an answer in the unit in which its network counts. */
export const sizeIn = (text: string, { in: unit }: { in: 'bytes' | 'characters' }) =>
  unit === 'bytes' ? new TextEncoder().encode(text).length : text.length

/** Whether the network accepts a text as an answer of this kind. */
export function fits(text: string, platform: Platform, kind: ThreadDeliveryKind): boolean {
  const room = roomFor(platform, kind)
  return room !== undefined && sizeIn(text, room) <= room.most
}

/** Whether a message is a customer's comment that an answer can refer to. */
export const isOpenComment = ({ kind, direction, removedAt }: Pick<Message, 'kind' | 'direction' | 'removedAt'>) =>
  kind === 'COMMENT' && direction === 'IN' && !removedAt
