import type { Notice } from './api.ts'

/** What cannot be switched off: security not at all; of the others, the letter is the matter itself. */
const ALWAYS: Partial<Record<Notice, readonly ('inApp' | 'mail')[]>> = {
  security: ['inApp', 'mail'],
  invitation_received: ['mail'],
  ownership_transferred: ['mail'],
}

export const isAlways = (kind: Notice, way: 'inApp' | 'mail'): boolean => ALWAYS[kind]?.includes(way) ?? false

/** Kinds of which whoever tells them sends the letter too. */
export const hasOwnLetter = (kind: Notice): boolean => isAlways(kind, 'mail')

/** Kinds that people are told of workspaces to which they do not belong: not yet, or no more. */
export const TO_OUTSIDERS: readonly Notice[] = ['invitation_received', 'member_removed']
