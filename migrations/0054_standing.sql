-- A person's standing is what allows them to act: a live session, an account that is not disabled, a role in a live workspace.
-- A transaction in a person's name locks the standing it relies on as shared; a change that ends or lowers a standing takes the
-- same lock exclusively. So either the transaction commits first, or it sees the change. The locks are advisory: a row lock
-- would write each of these rows with every request, and would deadlock with operations that update the row afterwards.
create function standing_key(id uuid, of_workspace uuid default null) returns bigint language sql immutable
  return hashtextextended(id::text || coalesce(of_workspace::text, ''), 7064);

create function lock_standing() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(standing_key(old.id));
  return new;
end $$;

create function lock_membership() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(standing_key(old.user_id, old.workspace_id));
  return case tg_op when 'DELETE' then old else new end;
end $$;

create trigger standing before update on session for each row
  when (old.ended_at is null and new.ended_at is not null) execute function lock_standing();
create trigger standing before update on app_user for each row
  when (old.disabled_at is null and new.disabled_at is not null or old.is_super_admin and not new.is_super_admin)
  execute function lock_standing();
create trigger standing before update on workspace for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function lock_standing();
create trigger standing before update on member for each row
  when (old.role is distinct from new.role) execute function lock_membership();
create trigger standing_end before delete on member for each row execute function lock_membership();

-- Raises PA002 with the code of the refusal where a person may no longer act, else locks their standing until the end of the
-- transaction. No workspace: the session alone is asked about. `roles` are those that pass; no list lets every member pass.
create function require_standing(session uuid, person uuid, asked_workspace uuid, roles text[], needed text, as_operator boolean)
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  facts record;
begin
  perform pg_advisory_xact_lock_shared(standing_key(session)), pg_advisory_xact_lock_shared(standing_key(person)),
    pg_advisory_xact_lock_shared(standing_key(asked_workspace)),
    pg_advisory_xact_lock_shared(standing_key(person, asked_workspace));
  select s.ended_at is not null as ended, u.disabled_at is not null as disabled, u.is_super_admin, m.role into facts
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
end $$;
grant create on schema public to parley_gate; -- to be given the function
alter function require_standing owner to parley_gate;
revoke create on schema public from parley_gate;
revoke execute on function require_standing from public;
grant execute on function require_standing to parley_app, parley_admin;
