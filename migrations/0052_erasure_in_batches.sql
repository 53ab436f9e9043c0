-- A deleted workspace is erased in batches, and cannot be restored once the first batch is gone.
--
-- Why: one statement erased all rows, within the time limit of a statement. The rows of a very large workspace were never erased.

-- When the first rows were erased. From then on the workspace cannot be restored.
alter table workspace add erasing_at timestamptz;
grant update (erasing_at) on workspace to parley_eraser;

-- The sweep finds the workspaces whose time is over.
create index workspace_deleted on workspace (deleted_at) where deleted_at is not null;

-- Notices are erased in batches too. Otherwise the last statement would delete all of them with their workspace.
create index notification_workspace on notification (workspace_id) where workspace_id is not null;
grant select, delete on notification to parley_eraser;

grant create on schema public to parley_eraser; -- for its function, until the end of this file

-- Erases up to `most` rows of the workspace of the transaction, if it was deleted 30 days ago. `more` says whether rows are left;
-- the last batch deletes the workspace itself. `files` has the keys of files that the rows named, one list for each row, and
-- `accounts` the permissions to give back to the networks. The caller enqueues jobs for both in the same transaction.
--
-- The tables are those with the policy of a tenant and those that point to the workspace. A table waits until nothing is left in
-- the tables that point to it, so no foreign key deletes further rows and a batch keeps its size. If two tables point to each
-- other, the key that is set to null does not count. Members come last, because their trigger updates another table. A row waits
-- for the rows of its own table that point to it.
--
-- A batch is found by an index and deleted by its places (ctid), whatever the planner expects of a workspace of this size. A place
-- may hold another row by then, so the workspace is compared again: as text, since an index would answer for the column. A plan
-- without the ways that are switched off here looks expensive, and JIT would compile it.
--
-- erase_workspace() stays for processes of the version before.
create function erase_workspace_batch(most int, out erased int, out more boolean, out files jsonb, out accounts jsonb)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off set enable_bitmapscan = off
  set jit = off as $$
declare
  own uuid := nullif(current_setting('app.workspace_id', true), '')::uuid;
  item record;
  part oid;
  batch tid[];
  ids uuid[];
  pointer text;
  below tid[];
  below_ids uuid[];
  deleted int;
  rounds int := 0;
  kept jsonb;
begin
  erased := 0;
  more := false;
  files := '[]';
  accounts := '[]';
  perform from workspace w where w.id = own and w.deleted_at <= app_now() - interval '30 days' for no key update;
  if not found then return; end if;
  update workspace w set erasing_at = app_now() where w.id = own and w.erasing_at is null;
  for item in
    with recursive tables as (
      select polrelid as id from pg_policy where polname = 'tenant' and polrelid <> 'workspace'::regclass
      union select conrelid from pg_constraint where contype = 'f' and confrelid = 'workspace'::regclass and conparentid = 0
    ), pointers as (
      select k.conrelid as child, k.confrelid as parent from pg_constraint k
      where k.contype = 'f' and k.conrelid <> k.confrelid
        and k.conrelid in (select t.id from tables t) and k.confrelid in (select t.id from tables t)
        and not (k.confdeltype = 'n' and exists (select from pg_constraint back
          where back.contype = 'f' and back.conrelid = k.confrelid and back.confrelid = k.conrelid))
    ), heights as (
      select t.id, 0 as height from tables t
      union select p.parent, h.height + 1 from heights h join pointers p on p.child = h.id where h.height < 100
    )
    select h.id::regclass as name, max(h.height) as height,
      array(select a.attname::text from pg_constraint k
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey) and a.attname <> 'workspace_id'
        where k.contype = 'f' and k.conrelid = h.id and k.confrelid = h.id) as pointers,
      case when h.id = 'social_account'::regclass then $kept$case when access_token is not null then jsonb_build_object(
          'accountId', id, 'platform', platform, 'externalId', external_id, 'userKey', network_user, 'sealedToken', access_token)
          end$kept$
        else coalesce((select format('to_jsonb(array_remove(array[%s], null))', string_agg(a.attname::text, ', ')) from pg_attribute a
          where a.attrelid = h.id and a.attname in ('original_key', 'storage_key', 'thumbnail_key')
          having count(*) > 0), 'null::jsonb')
        end as kept
    from heights h group by h.id order by h.id = 'member'::regclass, max(h.height), h.id
  loop
    if item.height = 100 then raise exception 'The tables % and others point to each other', item.name; end if;
    loop
      execute format('select x.part, array_agg(x.place), array_agg(x.id)
          from (select tableoid as part, ctid as place, %s as id from %s where workspace_id = $1 limit $2) x group by x.part limit 1',
        case when item.pointers = '{}' then 'null::uuid' else 'id' end, item.name)
        into part, batch, ids using own, greatest(case when item.pointers = '{}' then most - erased else (most - erased) / 2 end, 1);
      exit when batch is null;
      -- In a table whose rows point to each other, half of the room is for the rows that must go first, and the batch ends early:
      -- with little room left, a round finds few rows.
      more := erased >= most or item.pointers <> '{}' and (erased > most / 2 or rounds >= 10);
      if more then return; end if;
      if item.pointers <> '{}' then rounds := rounds + 1; end if;
      -- If other rows of the table point to these rows, take those instead, or both if there is room for both.
      loop
        below := null;
        foreach pointer in array item.pointers loop
          execute format('select array_agg(x.place), array_agg(x.id) from (select child.place, child.id from unnest($2) one (id)
              cross join lateral (select c.ctid as place, c.id from %s c where c.workspace_id = $1 and c.%I = one.id limit $3) child
              where child.id <> all ($2) limit $3) x', item.name, pointer)
            into below, below_ids using own, ids, most - erased;
          exit when below is not null;
        end loop;
        exit when below is null;
        if cardinality(ids) + cardinality(below_ids) <= most - erased then
          below := batch || below;
          below_ids := ids || below_ids;
        end if;
        batch := below;
        ids := below_ids;
      end loop;
      execute format('with gone as (delete from %s where ctid = any ($2) and tableoid = $3 and workspace_id::text = $1::text
          returning %s as kept)
        select count(*), coalesce(jsonb_agg(kept) filter (where kept is not null), ''[]'') from gone', item.name, item.kept)
        into deleted, kept using own, batch, part;
      erased := erased + deleted;
      if item.name = 'social_account'::regclass then accounts := accounts || kept; else files := files || kept; end if;
    end loop;
  end loop;
  more := erased >= most;
  if more then return; end if;
  delete from workspace w where w.id = own;
  erased := erased + 1;
end $$;
alter function erase_workspace_batch(int) owner to parley_eraser;
revoke all on function erase_workspace_batch(int) from public;
grant execute on function erase_workspace_batch(int) to parley_app;

revoke create on schema public from parley_eraser;
