-- The operators of the service look over all workspaces by a role of their own, and change little: who is disabled, and what
-- a plan includes.
do $$ begin create role parley_admin nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin execute format('grant parley_admin to %I', current_user); end $$;
grant usage on schema public to parley_admin;

-- What an event was done to, by ids.
alter table security_event add column object jsonb not null default '{}';
create index security_event_admin on security_event (id) where action like 'admin.%';
grant select, insert on security_event to parley_admin;

grant select on app_clock, plan, feature, plan_feature, quota, plan_quota to parley_admin;
grant update (amount) on plan_quota to parley_admin;
grant insert, delete on plan_feature to parley_admin;
grant select (id, email, phone, name, created_at, disabled_at, is_super_admin) on app_user to parley_admin;
grant update (disabled_at) on app_user to parley_admin;
grant select (id, user_id, last_used_at, ended_at) on session to parley_admin;
grant update (ended_at, end_reason) on session to parley_admin;
-- For the mark that the transaction of an act leaves on its Idempotency-Key.
grant select (key_hash, claim, done_at), update (done_at, body) on idempotency_key to parley_admin;

select across_table('workspace', 'select (id, name, timezone, created_at, deleted_at)', 'parley_admin');
select across_table('member', 'select (workspace_id, user_id, role)', 'parley_admin');
select across_table('subscription', 'select (workspace_id, plan_id)', 'parley_admin');
select across_table('workspace_usage', 'select', 'parley_admin');
select across_table('post', 'select (workspace_id, id, status, scheduled_at, deleted_at)', 'parley_admin');
select across_table('publication',
  'select (workspace_id, id, post_id, state, dropped_at, due_at, tries, error, updated_at)', 'parley_admin');

-- The jobs as an operator sees them: never what they carry.
create function admin_jobs(of_queue text, out id bigint, out queue text, out state text, out attempts int, out max_attempts int,
  out run_at timestamptz, out tried_at timestamptz, out error text)
returns setof record language sql stable security definer set search_path = '' as $$
  select j.id, j.task_identifier,
    case when j.locked_at is not null then 'running' when j.attempts >= j.max_attempts then 'failed' else 'waiting' end,
    j.attempts::int, j.max_attempts::int, j.run_at, j.updated_at, case when j.attempts > 0 then j.last_error end
  from graphile_worker.jobs j where of_queue is null or j.task_identifier = of_queue
$$;
revoke all on function admin_jobs(text) from public;
grant execute on function admin_jobs(text) to parley_admin;

-- Has jobs that failed run now, with all of their tries; answers those that were not running or gone.
create function admin_retry_jobs(ids bigint[]) returns setof bigint language sql security definer set search_path = '' as $$
  select (graphile_worker.reschedule_jobs(array(
    select j.id from graphile_worker.jobs j
    where j.id = any (ids) and j.locked_at is null and j.attempts > 0 and j.last_error is not null),
    run_at => pg_catalog.now(), attempts => 0)).id
$$;
revoke all on function admin_retry_jobs(bigint[]) from public;
grant execute on function admin_retry_jobs(bigint[]) to parley_admin;
