-- The overview knows whether a workspace has a client, who decides what waits for one.

grant create on schema public to parley_gate; -- for its function, until the end of this file

drop function memberships(uuid);

-- The living workspaces of the person of a live session, with their role in each, and whether a client is a member of it. The
-- overview reads these and no others.
create function memberships(session uuid, out workspace_id uuid, out user_id uuid, out role text, out has_client boolean)
returns setof record language sql stable security definer set search_path = public, pg_temp as $$
  select m.workspace_id, m.user_id, m.role,
    exists (select from member c where c.workspace_id = m.workspace_id and c.role = 'CLIENT')
  from session s join app_user u on u.id = s.user_id and u.disabled_at is null
  join member m on m.user_id = u.id join workspace w on w.id = m.workspace_id and w.deleted_at is null
  where s.id = session and s.ended_at is null and s.expires_at > app_now()
$$;
alter function memberships(uuid) owner to parley_gate;
revoke all on function memberships(uuid) from public;
grant execute on function memberships(uuid) to parley_across;
revoke create on schema public from parley_gate;
