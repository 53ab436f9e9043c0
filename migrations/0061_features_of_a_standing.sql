-- The features that a request relies on are a part of its standing, so a change of the plan ends a request on its way as the
-- loss of a role does.
--
-- The function without features stays for processes of the version before.

grant create on schema public to parley_gate; -- for its function, until the end of this file

-- Locks a person's standing until the end of the transaction. Raises PA002 with the code of the refusal where the person may no
-- longer act. Without a workspace it looks at the session alone. `roles` are those that pass; no list lets every member pass.
-- `features` are those that the plan of the workspace must include.
create function require_standing(session uuid, person uuid, asked_workspace uuid, roles text[], needed text, as_operator boolean,
  features text[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  facts record;
  missing text;
begin
  perform pg_advisory_xact_lock_shared(standing_key(session)), pg_advisory_xact_lock_shared(standing_key(person)),
    pg_advisory_xact_lock_shared(standing_key(asked_workspace)),
    pg_advisory_xact_lock_shared(standing_key(person, asked_workspace));
  select s.ended_at is not null as ended, u.disabled_at is not null as disabled, u.is_super_admin, m.role,
      case when features <> '{}' then array(select i.feature_id from subscription p join plan_feature i on i.plan_id = p.plan_id
        where p.workspace_id = asked_workspace and i.feature_id = any (features)) end as included into facts
    from session s join app_user u on u.id = s.user_id
    left join member m on m.user_id = u.id and m.workspace_id = asked_workspace
      and exists (select from workspace w where w.id = m.workspace_id and w.deleted_at is null)
    where s.id = session and s.user_id = person and s.expires_at > app_now();
  if facts.disabled then raise exception 'account_disabled' using errcode = 'PA002'; end if;
  if facts.ended is not false then raise exception 'session_revoked' using errcode = 'PA002'; end if;
  if as_operator and not facts.is_super_admin then raise exception 'super_admin_required' using errcode = 'PA002'; end if;
  if asked_workspace is null then return; end if;
  if facts.role is null then raise exception 'not_found' using errcode = 'PA002'; end if;
  if facts.role <> all(roles) then
    raise exception 'role_required' using errcode = 'PA002',
      detail = json_build_object('required', needed, 'actual', facts.role)::text;
  end if;
  if not features <@ facts.included then
    -- The first one that is missing, as the gate names it.
    select f.id into missing from unnest(features) with ordinality f(id, place)
      where f.id <> all (facts.included) order by f.place limit 1;
    raise exception 'feature_not_in_plan' using errcode = 'PA002',
      detail = json_build_object('feature', missing, 'plans', coalesce((select json_agg(p.id order by p.position)
        from plan p join plan_feature i on i.plan_id = p.id where i.feature_id = missing), '[]'))::text;
  end if;
end $$;
alter function require_standing(uuid, uuid, uuid, text[], text, boolean, text[]) owner to parley_gate;
revoke all on function require_standing(uuid, uuid, uuid, text[], text, boolean, text[]) from public;
grant execute on function require_standing(uuid, uuid, uuid, text[], text, boolean, text[]) to parley_app, parley_admin;

revoke create on schema public from parley_gate;

create or replace function require_standing(session uuid, person uuid, asked_workspace uuid, roles text[], needed text,
  as_operator boolean)
returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform require_standing(session, person, asked_workspace, roles, needed, as_operator, '{}');
end $$;

-- A change of the plan waits for the transactions that rely on it, and later ones see it.
create function lock_plan() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(standing_key(old.workspace_id));
  return new;
end $$;
create trigger standing before update on subscription for each row
  when (old.plan_id is distinct from new.plan_id) execute function lock_plan();
