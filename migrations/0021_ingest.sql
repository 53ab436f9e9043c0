-- Storing what networks tell. A network waits for it, so one statement stores the events of all workspaces.
grant insert on inbound_event to parley_across;

-- Enqueues a job, unless one with its key is due and waits already. That one is kept from starting until this transaction ends, so
-- it sees what this transaction writes. Why: each new event wrote the one job of its account again.
create function enqueue_once(workspace uuid, job jsonb) returns void language plpgsql security definer
  set search_path = public, pg_temp as $$
begin
  perform from graphile_worker._private_jobs j where j.key = job ->> 'key' and j.is_available and j.attempts = 0
    and j.run_at <= pg_catalog.now() for share skip locked;
  if found then
    -- A lane that looked meanwhile has passed it by.
    perform pg_catalog.pg_notify('parley_jobs', json_build_object(job ->> 'name', 1)::text);
    return;
  end if;
  perform set_config('app.workspace_id', workspace::text, true);
  perform enqueue_jobs(jsonb_build_array(job));
end $$;
revoke all on function enqueue_once(uuid, jsonb) from public;
grant execute on function enqueue_once(uuid, jsonb) to parley_across;
