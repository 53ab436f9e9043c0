-- What runs with its owner's rights looks for tables in pg_temp last: named nowhere, it would come first, and a temporary table
-- of the caller would stand for ours.
do $$
declare name regprocedure;
begin
  for name in select oid from pg_proc where pronamespace = 'public'::regnamespace and prosecdef loop
    execute format('alter function %s set search_path = public, pg_temp', name);
  end loop;
end $$;

-- Nobody needs temporary tables. A database that somebody else owns keeps its own rule.
do $$ begin
  execute format('revoke temporary on database %I from public', current_database());
exception when insufficient_privilege then null;
end $$;

-- Erases the workspace of the transaction, if it was deleted 30 days ago: tables that others still point to wait for these. One
-- that came back meanwhile undoes it all.
create or replace function erase_workspace() returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
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
