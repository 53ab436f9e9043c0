import { uuidv7 } from 'uuidv7'
import { query } from './db.ts'

interface SecurityEvent {
  action: string
  /** Whose log it belongs to; null: the operators' alone. */
  userId?: string | null
  object?: object
  detail?: object
  ip?: string | null | undefined
  requestId?: string | null | undefined
}

/** Records in no workspace's log what concerns one person, or the operators. */
export const securityEvent = ({ action, userId = null, object = {}, detail = {}, ip, requestId }: SecurityEvent) =>
  query`insert into security_event (id, user_id, action, object, detail, ip, request_id)
      values (${uuidv7()}, ${userId}, ${action}, ${JSON.stringify(object)}, ${JSON.stringify(detail)},
        ${ip ?? null}, ${requestId ?? null})`
