-- The base of every area: roles, the clock, the helpers that guard tables, counters, and the way into the job queue.
-- The schema of the job queue itself (graphile_worker) is there before this file.

-- None of these roles logs in or owns a table.
--   parley_app     serves requests and jobs inside one workspace
--   parley_across  runs the few named statements that look over all workspaces
--   parley_gate    owns the functions that read over workspaces for the gate and for a person's own profile
--   parley_admin   serves the operators of the service
--   parley_eraser  owns the one function that erases a workspace
do $$
declare name text;
begin
  foreach name in array array['parley_app', 'parley_across', 'parley_gate', 'parley_admin', 'parley_eraser'] loop
    begin
      execute format('create role %I nologin', name);
    exception when duplicate_object or unique_violation then null; -- another database of this server has made it
    end;
    execute format('grant %I to %I', name, current_user);
  end loop;
end $$;

revoke all on schema public from public;
grant usage on schema public to parley_app, parley_across, parley_gate, parley_admin, parley_eraser;

-- No role needs temporary tables. A database that another account owns keeps its own rule.
do $$ begin
  execute format('revoke temporary on database %I from public', current_database());
exception when insufficient_privilege then null;
end $$;

-- Functions that run with their owner's rights set `search_path = public, pg_temp`. They look for tables in pg_temp last: a
-- path that does not name pg_temp searches it first, and a temporary table of the caller would hide ours.

-- The database's clock plus a shift that only tests set. Production refuses to start when it is not zero.
create table app_clock (
  singleton boolean primary key default true check (singleton),
  shift interval not null default '0'
);
insert into app_clock default values;
grant select on app_clock to parley_app, parley_across, parley_gate, parley_admin, parley_eraser;

create function app_now() returns timestamptz language sql stable
  return now() + (select shift from app_clock);

-- A time as the API writes it: UTC, milliseconds, Z.
create function iso(at timestamptz) returns text language sql stable
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Ends a transaction whose last statement found no row. Nobody reads the answer of that statement, so the error undoes it all.
create function must_find(rows bigint) returns void language plpgsql as $$
begin
  if rows = 0 then raise exception 'the expected state was not there' using errcode = 'PA001'; end if;
end $$;

-- A text sealed with the encryption key. A start that cannot open it has another key than the one that sealed the tokens.
create table secret_canary (
  singleton boolean primary key default true check (singleton),
  sealed text not null
);

-- Lets the statements of one named reason look over all workspaces: one grant and one policy for each table and role.
create function across_table(name regclass, grants text, reader text default 'parley_across') returns void
language plpgsql as $$
begin
  execute format('create policy %I on %s to %I using (true) with check (true)', 'across_' || reader, name, reader);
  execute format('grant %s on %s to %I', grants, name, reader);
end $$;

-- Makes a table a tenant's: forced row level security by the transaction's workspace, the given grants, and the right to be
-- erased with its workspace.
create function tenant_table(name regclass, grants text, owner_column text default 'workspace_id') returns void
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format($policy$create policy tenant on %s to parley_app
    using (%I = (select nullif(current_setting('app.workspace_id', true), '')::uuid))
    with check (%I = (select nullif(current_setting('app.workspace_id', true), '')::uuid))$policy$,
    name, owner_column, owner_column);
  execute format('grant %s on %s to parley_app', grants, name);
  perform across_table(name, 'select, delete', 'parley_eraser');
end $$;

-- Tries within a window, by a hash of the subject that is limited.
create table try_count (
  key text primary key,
  tries int not null,
  ends_at timestamptz not null
);
create index try_count_ended on try_count (ends_at);
grant select, insert, update, delete on try_count to parley_app;

-- Requests of one caller in one minute, taken by the processes in small portions. Nothing in it must survive a crash.
create unlogged table request_window (
  key text primary key,
  taken int not null,
  ends_at timestamptz not null
);
create index request_window_ended on request_window (ends_at);
grant select, insert, update, delete on request_window to parley_across;

-- The round in which a new job runs that shares its queue with those of other people: the first round in which its owner has
-- nothing else waiting, and none that has passed. The queue hands out lower priorities first, so each round serves every owner
-- once, however many jobs one of them has enqueued before (start-time fair queueing). Turns go by the owner of a workspace
-- ("turnOf"), since one person has up to twenty workspaces; a job without one takes the turn of its workspace. When nothing
-- waits, the rounds begin again at zero.
create function next_turn(names jsonb, of_workspace text) returns int
language sql as $$
  select least(32767, greatest(0,
    coalesce(min(j.priority), 0),
    coalesce(max(j.priority) filter (where coalesce(j.payload ->> 'turnOf', j.payload ->> 'workspaceId') = of_workspace) + 1, 0)))
  from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
  where names ? t.identifier and j.attempts < j.max_attempts and j.run_at <= pg_catalog.now()
$$;
revoke all on function next_turn(jsonb, text) from public;

-- Puts jobs into the queue in the transaction of the state that they follow from. The workspace comes from the transaction's
-- own context: a caller cannot enqueue for another one.
--
-- A job with "own" is run by the process that writes it, so it wakes nobody. The queue hands it out later, in case that process
-- died over it. The queue's own functions wake every lane whatever the time of a job, so the first statement writes the row as
-- they do; its key is new.
--
-- Any other job that is due wakes the lane that takes it, by its name. The queue's own notification has no names, and every lane
-- of every process would look for each job. A lane finds a later job when that is due.
create function enqueue_jobs(jobs jsonb) returns void language sql security definer set search_path = public, pg_temp as $$
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
revoke all on function enqueue_jobs(jsonb) from public;
grant execute on function enqueue_jobs(jsonb) to parley_app, parley_across;
