-- A job that is due wakes the lane that takes it, by its name. The queue's own notification has no names: every lane of every process
-- looked for each job. For a job of later the lane is woken when it is due.
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
  from jsonb_array_elements(jobs) as job where job -> 'own' is null;
  select pg_catalog.pg_notify('parley_jobs', json_object_agg(name, many)::text)
  from (select job ->> 'name' as name, count(*) as many from jsonb_array_elements(jobs) as job
    where job -> 'own' is null and coalesce((job ->> 'runAt')::timestamptz, pg_catalog.now()) <= pg_catalog.clock_timestamp()
    group by 1) as due
  having count(*) > 0
$$;
