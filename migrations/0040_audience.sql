-- The score of customers. Each event warms its customer; half of the warmth is gone after 30 days.

-- What is left at a time of a heat that was measured at another time.
create function heat_left(heat float8, heat_at timestamptz, at timestamptz) returns float8 language sql immutable parallel safe
  return heat * power(2::float8, extract(epoch from heat_at - at)::float8 / 2592000);

-- The score: from 0 for nothing to 100 for a customer who writes all the time. The least keeps the exponent in its range.
create function engagement(heat float8, heat_at timestamptz, at timestamptz) returns float8 language sql immutable parallel safe
  return round((100 * (1 - exp(-least(coalesce(heat_left(heat, heat_at, at), 0), 5000) / 10)))::numeric, 1)::float8;

-- The order of customers by their score, which time does not change: all of them cool at the same pace.
create function warmth(heat float8, heat_at timestamptz) returns bigint language sql immutable parallel safe
  return case when heat > 0 then greatest(0, ((ln(heat) / ln(2::float8)
    + extract(epoch from heat_at - timestamptz '2000-01-01 00:00:00Z')::float8 / 2592000) * 1000000000)::bigint) else 0 end;

-- `heat` is the heat at `heat_at`. That of a customer is the sum of their identities, so that identities can change hands.
alter table audience_identity
  add heat float8 not null default 0,
  add heat_at timestamptz,
  add last_seen timestamptz,
  add username_key text generated always as (case when length(username) > 3 then translate(lower(username), ' ._-@/', '') end) stored,
  add check ((heat = 0) = (heat_at is null));
alter table audience_node
  add language text,
  add tags text[] not null default '{}',
  add heat float8 not null default 0,
  add heat_at timestamptz,
  add last_seen timestamptz,
  -- The customer into whom this one was merged.
  add merged_into uuid,
  -- Orders of lists as columns: row security lets no expression use an index. `contact`: the last message, in milliseconds.
  add warmth bigint not null generated always as (warmth(heat, heat_at)) stored,
  add contact bigint not null generated always as
    ((extract(epoch from coalesce(last_seen, created_at) - timestamptz '2000-01-01 00:00:00Z') * 1000)::bigint) stored,
  -- A name of two words without what is written in one way here and in another way there.
  add name_key text generated always as (case when position(' ' in name) > 0 and length(name) > 4
    then translate(lower(name), ' ._-@/', '') end) stored,
  add version int not null default 1,
  add foreign key (workspace_id, merged_into) references audience_node,
  add check ((heat = 0) = (heat_at is null));

-- A message whose praise was counted is not counted again.
alter table message add is_praise boolean not null default false;

-- Messages from before count as later ones do. The owner of the tables, who fills them, is not held to one workspace meanwhile.
alter table message no force row level security;
alter table thread no force row level security;
alter table audience_identity no force row level security;
alter table audience_node no force row level security;
update audience_identity i set heat = s.heat, heat_at = s.at, last_seen = s.at
from (select m.workspace_id, m.identity_id, m.at, sum(heat_left(m.weight, m.written_at, m.at)) as heat
    from (select t.workspace_id, t.identity_id, case when t.kind = 'DM' then 2 else 1 end as weight, m.at as written_at,
        max(m.at) over (partition by t.workspace_id, t.identity_id) as at
      from message m join thread t on t.workspace_id = m.workspace_id and t.id = m.thread_id where m.direction = 'IN') m
    group by m.workspace_id, m.identity_id, m.at) s
where i.workspace_id = s.workspace_id and i.id = s.identity_id;
update audience_node n set heat = i.heat, heat_at = i.heat_at, last_seen = i.last_seen
from audience_identity i where i.workspace_id = n.workspace_id and i.node_id = n.id;
alter table message force row level security;
alter table thread force row level security;
alter table audience_identity force row level security;
alter table audience_node force row level security;

create index audience_node_warmest on audience_node (workspace_id, warmth desc, id desc) where erased_at is null and merged_into is null;
create index audience_node_seen on audience_node (workspace_id, contact desc, id desc) where erased_at is null and merged_into is null;
create index audience_node_name on audience_node (workspace_id, name_key) where name_key is not null;
create index audience_identity_username on audience_identity (workspace_id, username_key) where username_key is not null;
create index audience_node_merged on audience_node (workspace_id, merged_into) where merged_into is not null;

-- The customers of the transaction's workspace with these words in their name or username. Why a function: see 0022.
grant create on schema public to parley_gate; -- for its function, until the end of this file
create function customers_found(name_words tsquery) returns setof uuid language plpgsql stable security definer
  set search_path = public, pg_temp rows 20 as $$
declare
  own text := nullif(current_setting('app.workspace_id', true), '');
  own_word tsquery := ('''w:' || own || '''')::tsquery;
begin
  if own is null or numnode(name_words) = 0 then return; end if;
  return query select n.id from audience_node n where n.words @@ (name_words && own_word) and n.workspace_id::text = own;
  return query select i.node_id from audience_identity i where i.words @@ (name_words && own_word) and i.workspace_id::text = own;
end $$;
alter function customers_found(tsquery) owner to parley_gate;
revoke all on function customers_found(tsquery) from public;
grant execute on function customers_found(tsquery) to parley_app;
revoke create on schema public from parley_gate;

-- The daily look for customers without contact for too long.
create index audience_node_contact on audience_node (contact) where erased_at is null and merged_into is null;
select across_table('audience_node', 'select (workspace_id, contact, erased_at, merged_into)');
