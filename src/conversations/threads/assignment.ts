import type { DomainEvent } from '../../core/platform/record.ts'

/** A thread has another assignee, or none. */
export interface ThreadAssigned extends DomainEvent {
  type: 'thread.assigned'
  subject: { threadId: string }
  data: { assignee: string | null }
  context: { isOneOfMany: boolean }
}

/**
 * Returns the event of an assignment: by a person, alone or together with other threads, by a rule, or to the first person
 * who answers.
 */
export const assignedTo = (
  threadId: string,
  assignee: string | null,
  { isOneOfMany = false } = {},
): ThreadAssigned => ({
  type: 'thread.assigned',
  subject: { threadId },
  data: { assignee },
  context: { isOneOfMany },
})
