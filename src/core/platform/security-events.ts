import { uuidv7 } from 'uuidv7'
import { query } from './db.ts'

interface SecurityEvent {
  action: string
  /** The person whose log gets the event; null: only the operators see it. */
  userId?: string | null
  object?: object
  detail?: object
  ip?: string | null | undefined
  requestId?: string | null | undefined
}

/** Records an event that concerns one person or the operators, outside any workspace's log. */
export const securityEvent = ({ action, userId = null, object = {}, detail = {}, ip, requestId }: SecurityEvent) =>
  query`insert into security_event (id, user_id, action, object, detail, ip, request_id)
      values (${uuidv7()}, ${userId}, ${action}, ${JSON.stringify(object)}, ${JSON.stringify(detail)},
        ${ip ?? null}, ${requestId ?? null})`
