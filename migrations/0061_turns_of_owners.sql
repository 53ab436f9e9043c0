-- Turns go by the owner of a workspace, whom `enqueue_jobs` is told: one person has up to twenty workspaces. A job that does not say
-- whose turn it takes, because it was enqueued before, takes that of its workspace.
create or replace function next_turn(names jsonb, of_workspace text) returns int
language sql as $$
  select least(32767, greatest(0,
    coalesce(min(j.priority), 0),
    coalesce(max(j.priority) filter (where coalesce(j.payload ->> 'turnOf', j.payload ->> 'workspaceId') = of_workspace) + 1, 0)))
  from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
  where names ? t.identifier and j.attempts < j.max_attempts and j.run_at <= pg_catalog.now()
$$;

create or replace function enqueue_jobs(jobs jsonb) returns void language sql security definer set search_path = public, pg_temp as $$
  insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, key)
  select t.id,
    json_build_object('workspaceId', nullif(pg_catalog.current_setting('app.workspace_id', true), ''), 'data', job -> 'data'),
    (job ->> 'runAt')::timestamptz, coalesce((job ->> 'maxAttempts')::smallint, 25), job ->> 'key'
  from jsonb_array_elements(jobs) as job join graphile_worker._private_tasks t on t.identifier = job ->> 'name'
  where job -> 'own' is not null;
  select graphile_worker.add_job(
    job ->> 'name',
    case when job ->> 'turnOf' is null
      then json_build_object('workspaceId', nullif(pg_catalog.current_setting('app.workspace_id', true), ''), 'data', job -> 'data')
      else json_build_object('workspaceId', nullif(pg_catalog.current_setting('app.workspace_id', true), ''), 'data', job -> 'data',
        'turnOf', job ->> 'turnOf') end,
    queue_name => job ->> 'queue',
    run_at => (job ->> 'runAt')::timestamptz,
    job_key => job ->> 'key',
    max_attempts => coalesce((job ->> 'maxAttempts')::int, 25),
    priority => case when job ? 'turns'
      then next_turn(job -> 'turns', coalesce(job ->> 'turnOf', pg_catalog.current_setting('app.workspace_id', true))) end)
  from jsonb_array_elements(jobs) as job where job -> 'own' is null
$$;
