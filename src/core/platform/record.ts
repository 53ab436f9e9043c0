import type { Event } from './events.ts'
import type { Json } from './json.ts'

/** A fact, recorded in the transaction that makes it true. */
export interface DomainEvent {
  /** The name of the fact in the audit history: `post.scheduled`. */
  readonly type: string
  /** The ids of the people and things that it concerns. */
  readonly subject: Json
  readonly data?: Json
  /** What subscribers need besides, such as names and texts. The history does not keep it. */
  readonly context?: Json
  /** The person who asked for something that Parley carried out later. The history names this person. */
  readonly by?: string | null
}

/**
 * The hints of events, by type or by group: `post` means all types `post.…`, and a type goes before its group. A hint
 * names the kind and the key of its id in the subject of the event; `workspace` names the workspace of the event.
 */
export type Hints = Readonly<Record<string, 'workspace' | readonly [kind: Event['kind'], key: string]>>

/** The live hint for an event, if the event concerns any screens. */
export function hintOf(hints: Hints, { type, subject }: DomainEvent, workspaceId: string): Event | undefined {
  const hint = hints[type] ?? hints[type.split('.', 1)[0]!]
  if (hint === undefined) return undefined
  if (hint === 'workspace') return { kind: 'workspace', id: workspaceId }
  const [kind, key] = hint
  const id = subject[key]
  return typeof id === 'string' ? { kind, id } : undefined
}
