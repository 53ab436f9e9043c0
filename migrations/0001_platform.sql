-- Roles, clock, tenant context. parley_app serves requests and jobs inside one workspace; parley_across is for the few
-- named statements that look over all workspaces. Neither logs in nor owns anything.
do $$ begin create role parley_app nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role parley_across nologin; exception when duplicate_object or unique_violation then null; end $$;
-- parley_gate owns the functions that read over workspaces for the gate and for a person's own profile.
do $$ begin create role parley_gate nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin execute format('grant parley_app, parley_across, parley_gate to %I', current_user); end $$;

revoke all on schema public from public;
grant usage on schema public to parley_app, parley_across, parley_gate;
grant create on schema public to parley_gate; -- to be given functions; taken back by 0003

-- The database's clock plus a shift that only tests set; production refuses to start when it is not zero.
create table app_clock (
  singleton boolean primary key default true check (singleton),
  shift interval not null default '0'
);
insert into app_clock default values;
grant select on app_clock to parley_app, parley_across, parley_gate;

create function app_now() returns timestamptz language sql stable
  return now() + (select shift from app_clock);

-- For the last statement of a transaction, whose rows nobody looks at: finding nothing undoes it all.
create function must_find(rows bigint) returns void language plpgsql as $$
begin
  if rows = 0 then raise exception 'the expected state was not there' using errcode = 'PA001'; end if;
end $$;

-- A time as the API writes it: UTC, milliseconds, Z.
create function iso(at timestamptz) returns text language sql stable
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- A text sealed with the encryption key: if it cannot be opened at the start, the key is not the one that sealed the tokens.
create table secret_canary (
  singleton boolean primary key default true check (singleton),
  sealed text not null
);

-- Makes a table a tenant's: forced row level security by the transaction's workspace, and the given grants.
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
end $$;

-- Lets the statements of one named reason look over all workspaces: one grant and one policy a table.
create function across_table(name regclass, grants text, reader text default 'parley_across') returns void
language plpgsql as $$
begin
  execute format('create policy %I on %s to %I using (true) with check (true)', 'across_' || reader, name, reader);
  execute format('grant %s on %s to %I', grants, name, reader);
end $$;

-- Jobs enter the queue in the transaction of the state that they follow from. The workspace comes from the transaction's
-- own context: a caller cannot enqueue for another one.
create function enqueue_jobs(jobs jsonb) returns void language sql security definer set search_path = '' as $$
  select graphile_worker.add_job(
    job ->> 'name',
    json_build_object('workspaceId', nullif(pg_catalog.current_setting('app.workspace_id', true), ''), 'data', job -> 'data'),
    queue_name => job ->> 'queue',
    run_at => (job ->> 'runAt')::timestamptz,
    job_key => job ->> 'key',
    max_attempts => coalesce((job ->> 'maxAttempts')::int, 25))
  from jsonb_array_elements(jobs) as job
$$;
revoke all on function enqueue_jobs(jsonb) from public;
grant execute on function enqueue_jobs(jsonb) to parley_app, parley_across;
