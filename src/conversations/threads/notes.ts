import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { atLeast } from '../../core/http/rules.ts'
import { query } from '../../core/platform/db.ts'
import type { DomainEvent } from '../../core/platform/record.ts'
import { readOnlyFaults } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Message, Note, NotePatch } from './api.ts'
import { readMessage } from './threads-read.ts'

/** A note was written or changed. The members that it mentions are notified. */
export interface NoteWritten extends DomainEvent {
  type: 'note.created' | 'note.changed'
  subject: { threadId: string; messageId: string }
  data: { mentions: readonly string[] }
}

/** Writes a note that only colleagues see. */
export function createNote(
  scope: Scope,
  threadId: string,
  { text, mentions = [] }: Note,
  userId: string,
): Promise<Message> {
  return scope.transaction(async (tx) => {
    await tx.one(
      query`select from thread where workspace_id = ${tx.workspaceId} and id = ${threadId} for update`,
      'not_found',
    )
    await knowMembers(tx, mentions)
    const id = await writeNote(tx, threadId, text, userId)
    tx.record({ type: 'note.created', subject: { threadId, messageId: id }, data: { mentions } } satisfies NoteWritten)
    return readMessage(tx, id)
  })
}

/** Writes a note into a thread, and returns its id. */
export async function writeNote(tx: Tx, threadId: string, text: string, userId: string): Promise<string> {
  const id = uuidv7()
  await tx.one(
    query`insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, author, text, at)
      select workspace_id, ${id}, id, account_id, 'NOTE', 'INTERNAL', 'AGENT_MANUAL', ${userId}, ${text}, ${tx.now}
      from thread where workspace_id = ${tx.workspaceId} and id = ${threadId} returning id`,
    'not_found',
  )
  return id
}

/** Adds a note to a thread that was closed automatically. */
export const writeClosingNote = (tx: Tx, threadId: string, accountId: string) =>
  tx.run(query`insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, at)
    values (${tx.workspaceId}, ${uuidv7()}, ${threadId}, ${accountId}, 'NOTE', 'INTERNAL', 'SYSTEM',
      'Closed: the customer didn’t write again within 24 hours of the bot’s reply.', ${tx.now})`)

/** Throws `validation_failed` for a mention of someone who may not see notes. */
async function knowMembers(tx: Tx, mentions: readonly string[]): Promise<void> {
  if (mentions.length === 0) return
  const members = await tx.run(query<{
    userId: string
  }>`select user_id from member where workspace_id = ${tx.workspaceId}
    and user_id = any (${mentions}::uuid[]) and role <> 'CLIENT'`)
  const known = new Set(members.map((member) => member.userId))
  const faults = mentions.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ path: `/mentions/${index}`, code: 'unknown', message: 'No member who can see notes has this ID.' }],
  )
  if (faults.length > 0) throw invalid(...faults)
}

/** Locks a note and returns its author. */
async function lockNote(tx: Tx, threadId: string, id: string): Promise<string | null> {
  const { author } = await tx.one(
    query<{
      author: string | null
    }>`select author from message where workspace_id = ${tx.workspaceId} and thread_id = ${threadId}
      and id = ${id} and kind = 'NOTE' for update`,
    'not_found',
  )
  return author
}

/**
 * Changes a note. The same text leaves it as it is, and still notifies the members it mentions. Throws `author_required`
 * to everyone but its author.
 */
export function updateNote(
  scope: Scope,
  threadId: string,
  id: string,
  patch: NotePatch,
  caller: { userId: string },
): Promise<Message> {
  return scope.transaction(async (tx) => {
    if ((await lockNote(tx, threadId, id)) !== caller.userId) throw new AppError('author_required')
    const current = await readMessage(tx, id)
    const faults = readOnlyFaults(patch, current, ['text', 'mentions'])
    if (faults.length > 0) throw invalid(...faults)
    const { text = current.text ?? '', mentions = [] } = patch
    if (text === current.text && mentions.length === 0) return current
    await knowMembers(tx, mentions)
    await tx.one(
      query`update message set text = ${text}, edited_at = case when text = ${text} then edited_at else ${tx.now} end where workspace_id = ${tx.workspaceId} and id = ${id}
        and kind = 'NOTE' returning id`,
      'not_found',
    )
    tx.record({ type: 'note.changed', subject: { threadId, messageId: id }, data: { mentions } } satisfies NoteWritten)
    return readMessage(tx, id)
  })
}

/** Deletes a note. Throws `role_required` to everyone but its author and admins. */
export async function deleteNote(
  scope: Scope,
  threadId: string,
  id: string,
  caller: { userId: string; role: Role },
): Promise<void> {
  await scope.transaction(async (tx) => {
    const author = await lockNote(tx, threadId, id)
    if (author !== caller.userId && !atLeast(caller.role, 'ADMIN'))
      throw new AppError('role_required', 'Only its author or an ADMIN can delete a note.', {
        required: 'ADMIN',
        actual: caller.role,
      })
    await tx.one(
      query`delete from message where workspace_id = ${tx.workspaceId} and id = ${id} and kind = 'NOTE' returning id`,
      'not_found',
    )
    tx.record({ type: 'note.deleted', subject: { threadId, messageId: id } })
  })
}
