import { sql } from '../../core/platform/db.ts'
import { personShape } from '../../team/identity/person-shape.ts'

// The shape of decisions and drafts in the API, as SQL for one JSON value.

/** A draft `r`. */
export const draftShape = sql`json_build_object('id', r.id, 'decisionId', r.decision_id, 'conversationId', r.thread_id,
  'messageId', r.message_id,
  'question', (select m.text from message m where m.workspace_id = r.workspace_id and m.id = r.message_id),
  'customer', (select n.name from thread t join audience_identity i on i.workspace_id = t.workspace_id and i.id = t.identity_id
    join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
    where t.workspace_id = r.workspace_id and t.id = r.thread_id),
  'state', r.state, 'text', r.text, 'sentText', r.sent_text, 'reason', r.reason, 'confidence', r.confidence, 'parts', r.parts,
  'threshold', r.threshold, 'sources', r.sources, 'vetoes', r.vetoes, 'privately', r.privately, 'expiresAt', iso(r.expires_at),
  'flag', case when r.flag_reason is not null then json_build_object('reason', r.flag_reason, 'note', r.flag_note) end,
  'decidedBy', ${personShape(sql`r.decided_by`)}, 'decidedAt', iso(r.decided_at), 'createdAt', iso(r.created_at))`

/** A decision `d`. */
export const decisionShape = sql`json_build_object('id', d.id, 'kind', d.kind, 'conversationId', d.thread_id,
  'messageId', d.message_id, 'state', d.state, 'verdict', d.verdict, 'hold', d.hold, 'reply', d.reply, 'confidence', d.confidence,
  'threshold', coalesce((d.facts -> 'config' ->> 'maxConfidenceForAuto')::float8, 0), 'sources', d.sources, 'vetoes', d.vetoes,
  'draftId', (select r.id from draft_reply r where r.workspace_id = d.workspace_id and r.decision_id = d.id),
  'contextSnapshot', case when d.erased_at is null then d.facts end, 'decisionLog', d.log, 'rulesVersion', d.rules_version,
  'usage', case when d.model is not null then
    json_build_object('model', d.model, 'inputTokens', d.input_tokens, 'outputTokens', d.output_tokens) end,
  'credits', coalesce((select e.credits from credit_entry e where e.workspace_id = d.workspace_id and e.decision_id = d.id), 0),
  'createdAt', iso(d.created_at), 'endedAt', iso(d.ended_at))`

/** A decision `d` with its entry `e` in the ledger of credits. */
export const chargedShape = sql`json_build_object('id', d.id, 'kind', d.kind, 'conversationId', d.thread_id,
  'customer', (select n.name from thread t join audience_identity i on i.workspace_id = t.workspace_id and i.id = t.identity_id
    join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
    where t.workspace_id = d.workspace_id and t.id = d.thread_id),
  'text', case when d.message_id is not null
    then (select m.text from message m where m.workspace_id = d.workspace_id and m.id = d.message_id)
    when d.erased_at is null then d.facts -> 'message' ->> 'text' end,
  'credits', e.credits, 'createdBy', ${personShape(sql`d.created_by`)}, 'createdAt', iso(d.created_at))`
