-- When a person asked to erase this customer. From then on no merge changes whom the erasure is about.
alter table audience_node add erasing_at timestamptz;

-- What people corrected of `node_id` since the merge.
alter table audience_merge add corrected text[] not null default '{}';
grant update (corrected) on audience_merge to parley_app;

-- The owner of the tables, who fills them, is not held to one workspace meanwhile.
alter table audience_identity no force row level security;
alter table audience_node no force row level security;
-- Requests that wait already.
update audience_node n set erasing_at = app_now()
from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
where t.identifier = 'customer-erasure' and j.payload -> 'data' -> 'silent' is null
  and n.workspace_id::text = j.payload ->> 'workspaceId' and n.id::text = j.payload -> 'data' ->> 'customerId'
  and n.merged_into is null and n.erased_at is null;
-- 0040 filled the score and the last contact also of customers who were erased before.
update audience_identity i set heat = 0, heat_at = null, last_seen = null from audience_node n
where n.workspace_id = i.workspace_id and n.id = i.node_id and n.erased_at is not null
  and (i.heat_at is not null or i.last_seen is not null);
update audience_node set heat = 0, heat_at = null, last_seen = null
where erased_at is not null and (heat_at is not null or last_seen is not null);
alter table audience_identity force row level security;
alter table audience_node force row level security;
