-- A deleted workspace can be restored for 30 days; then all of its rows are erased. parley_eraser owns the one function that
-- erases, and sees rows only through it.
do $$ begin create role parley_eraser nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin execute format('grant parley_eraser to %I', current_user); end $$;
grant usage on schema public to parley_eraser;
grant create on schema public to parley_eraser; -- to be given the function; taken back below
grant select on app_clock to parley_eraser;

-- From now on each tenant's table can be erased.
create or replace function tenant_table(name regclass, grants text, owner_column text default 'workspace_id') returns void
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

do $$
declare name regclass;
begin
  for name in select polrelid::regclass from pg_policy where polname = 'tenant' loop
    perform across_table(name, 'select, delete', 'parley_eraser');
  end loop;
end $$;

-- Erases the workspace of the transaction, if it was deleted 30 days ago: tables that others still point to wait for these.
create function erase_workspace() returns boolean language plpgsql security definer set search_path = public as $$
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
  delete from workspace w where w.id = workspace_id;
  return true;
end $$;
alter function erase_workspace owner to parley_eraser;
revoke execute on function erase_workspace from public;
grant execute on function erase_workspace to parley_app;
revoke create on schema public from parley_eraser;

-- What somebody owned and deleted, while it can be restored.
create function deleted_workspaces(person uuid) returns setof uuid
language sql stable security definer set search_path = public as $$
  select w.id from member m join workspace w on w.id = m.workspace_id
  where m.user_id = person and m.role = 'OWNER' and w.deleted_at > app_now() - interval '30 days'
$$;
grant create on schema public to parley_gate;
alter function deleted_workspaces owner to parley_gate;
revoke create on schema public from parley_gate;
revoke execute on function deleted_workspaces from public;
grant execute on function deleted_workspaces to parley_app;
