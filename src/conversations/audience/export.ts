import { query, sql, whole } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { CustomerExport } from './api.ts'
import { readCustomer } from './audience.ts'

/** Returns everything kept about a customer. The history records who exported it. Throws `not_found`. */
export async function exportCustomer(scope: Scope, id: string): Promise<CustomerExport> {
  return scope.transaction(async (tx) => {
    const { identities: profiles, threads: _threads, lastMerge: _lastMerge, ...customer } = await readCustomer(tx, id)
    const ofCustomer = sql`from thread t join audience_identity i on i.workspace_id = t.workspace_id and i.id = t.identity_id
      where t.workspace_id = ${tx.workspaceId} and i.node_id = ${id}`
    const conversations = await tx.run(
      whole<CustomerExport['conversations'][number]>(sql`select a.platform, t.kind, iso(t.opened_at) as opened_at,
          coalesce((select json_agg(json_build_object('at', iso(m.at), 'source', m.source, 'text', m.text,
              'attachments', coalesce((select json_agg(json_build_object('type', f.type, 'url', case when f.storage_key is null then f.url
                  else '/api/v1/conversations/' || m.thread_id || '/attachments/' || f.id end) order by f.position)
                from message_attachment f where f.workspace_id = m.workspace_id and f.message_id = m.id), '[]')) order by m.at, m.id)
            from message m where m.workspace_id = t.workspace_id and m.thread_id = t.id and m.is_intended), '[]') as messages
        from (select t.* ${ofCustomer}) t join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
        order by t.opened_at, t.id`),
    )
    const memory = await tx.run(query<
      CustomerExport['memory'][number]
    >`select key, value, iso(created_at) as created_at from memory
      where workspace_id = ${tx.workspaceId} and (owner = ${id} or owner in (select t.id ${ofCustomer})
        or owner in (select i.id from audience_identity i where i.workspace_id = ${tx.workspaceId} and i.node_id = ${id}))
      order by created_at, id`)
    tx.record({ type: 'customer.exported', subject: { customerId: id } })
    return { exportedAt: tx.now.toISOString(), customer, profiles, conversations, memory }
  })
}
