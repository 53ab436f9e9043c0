-- A job that the process which writes it takes itself wakes nobody: every look of every lane for it would be in vain. The queue
-- gives it out later, for when that process died over it. The queue's own functions wake all whatever the time of the job, so
-- this one is written as they write it; its key is new.
create or replace function enqueue_jobs(jobs jsonb) returns void language sql security definer set search_path = public, pg_temp as $$
  insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, key)
  select t.id,
    json_build_object('workspaceId', nullif(pg_catalog.current_setting('app.workspace_id', true), ''), 'data', job -> 'data'),
    (job ->> 'runAt')::timestamptz, coalesce((job ->> 'maxAttempts')::smallint, 25), job ->> 'key'
  from jsonb_array_elements(jobs) as job join graphile_worker._private_tasks t on t.identifier = job ->> 'name'
  where job -> 'own' is not null;
  select graphile_worker.add_job(
    job ->> 'name',
    json_build_object('workspaceId', nullif(pg_catalog.current_setting('app.workspace_id', true), ''), 'data', job -> 'data'),
    queue_name => job ->> 'queue',
    run_at => (job ->> 'runAt')::timestamptz,
    job_key => job ->> 'key',
    max_attempts => coalesce((job ->> 'maxAttempts')::int, 25))
  from jsonb_array_elements(jobs) as job where job -> 'own' is null
$$;
