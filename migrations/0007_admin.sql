-- The rights of the operators of the service, and the erasure of deleted workspaces.

-- ---- operators

-- Operators look over all workspaces by a role of their own. It reads no password, no token, no post's text and no job's content,
-- and changes little: it disables accounts, ends their sessions, and edits the contents of plans.
grant select on plan, feature, plan_feature, quota, plan_quota to parley_admin;
grant update (amount) on plan_quota to parley_admin;
grant insert, delete on plan_feature to parley_admin;
grant select (id, email, phone, name, created_at, disabled_at, is_super_admin), update (disabled_at) on app_user to parley_admin;
grant select (id, user_id, last_used_at, ended_at), update (ended_at, end_reason) on session to parley_admin;
grant select, insert on security_event to parley_admin;
-- The transaction of an act leaves a mark and the answer on its Idempotency-Key, as for all other requests.
grant select (key_hash, claim, done_at), update (done_at, status, headers, body) on idempotency_key to parley_admin;

select across_table('workspace', 'select (id, name, timezone, created_at, deleted_at)', 'parley_admin');
select across_table('member', 'select (workspace_id, user_id, role)', 'parley_admin');
select across_table('subscription', 'select (workspace_id, plan_id)', 'parley_admin');
select across_table('workspace_usage', 'select', 'parley_admin');
select across_table('post', 'select (workspace_id, id, status, scheduled_at, deleted_at)', 'parley_admin');
select across_table('delivery',
  'select (workspace_id, id, post_id, kind, state, dropped_at, due_at, tries, error, updated_at)', 'parley_admin');

-- The jobs as an operator sees them, without their content.
create function admin_jobs(of_queue text, out id bigint, out queue text, out state text, out attempts int, out max_attempts int,
  out run_at timestamptz, out tried_at timestamptz, out error text)
returns setof record language sql stable security definer set search_path = public, pg_temp as $$
  select j.id, j.task_identifier,
    case when j.locked_at is not null then 'running' when j.attempts >= j.max_attempts then 'failed' else 'waiting' end,
    j.attempts::int, j.max_attempts::int, j.run_at, j.updated_at, case when j.attempts > 0 then j.last_error end
  from graphile_worker.jobs j where of_queue is null or j.task_identifier = of_queue
$$;
revoke all on function admin_jobs(text) from public;
grant execute on function admin_jobs(text) to parley_admin;

-- Has failed jobs run now, with all of their tries. Answers the jobs that it found waiting after a failure.
create function admin_retry_jobs(ids bigint[]) returns setof bigint
language sql security definer set search_path = public, pg_temp as $$
  select (graphile_worker.reschedule_jobs(array(
    select j.id from graphile_worker.jobs j
    where j.id = any (ids) and j.locked_at is null and j.attempts > 0 and j.last_error is not null),
    run_at => pg_catalog.now(), attempts => 0)).id
$$;
revoke all on function admin_retry_jobs(bigint[]) from public;
grant execute on function admin_retry_jobs(bigint[]) to parley_admin;

-- ---- erasure

grant create on schema public to parley_eraser; -- for its function, until the end of this file

-- Erases the workspace of the transaction, if it was deleted 30 days ago. It finds the tables by their policy `tenant`. A table
-- that others still point to waits for these. A workspace that came back meanwhile undoes it all.
create function erase_workspace() returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  workspace_id uuid := nullif(current_setting('app.workspace_id', true), '')::uuid;
  waiting text[];
  again text[];
  name text;
begin
  perform from workspace w where w.id = workspace_id and w.deleted_at <= app_now() - interval '30 days';
  if not found then return false; end if;
  select array_agg(polrelid::regclass::text) into waiting from pg_policy
    where polname = 'tenant' and polrelid <> 'workspace'::regclass;
  while cardinality(waiting) > 0 loop
    again := '{}';
    foreach name in array waiting loop
      begin
        execute format('delete from %s where workspace_id = $1', name) using workspace_id;
      exception when foreign_key_violation then
        again := again || name;
      end;
    end loop;
    if cardinality(again) = cardinality(waiting) then raise exception 'Rows of % still need each other', again; end if;
    waiting := again;
  end loop;
  delete from workspace w where w.id = workspace_id and w.deleted_at <= app_now() - interval '30 days';
  if not found then raise exception 'The workspace came back'; end if;
  return true;
end $$;
alter function erase_workspace() owner to parley_eraser;
revoke all on function erase_workspace() from public;
grant execute on function erase_workspace() to parley_app;

revoke create on schema public from parley_eraser;
