-- Saved views, the overview of all workspaces of a person, and alternative texts by the model.

-- ---- saved views

-- The filters of a screen under a name, for one member or for all of a workspace.
create table saved_view (
  workspace_id uuid references workspace,
  id uuid,
  -- Whose it is; null: it is shared. A member's own views go with the membership.
  owner_id uuid,
  screen text not null check (screen in ('posts', 'calendar')),
  name text not null,
  filters jsonb not null,
  version int not null default 1,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, owner_id) references member on delete cascade
);
create unique index saved_view_name on saved_view (workspace_id, owner_id, screen, lower(name)) nulls not distinct;
select tenant_table('saved_view', 'select, insert, update, delete');

-- ---- overview

grant create on schema public to parley_gate; -- for its function, until the end of this file

-- The living workspaces of the person of a live session, with their role in each. The overview reads these and no others.
create function memberships(session uuid, out workspace_id uuid, out user_id uuid, out role text)
returns setof record language sql stable security definer set search_path = public, pg_temp as $$
  select m.workspace_id, m.user_id, m.role
  from session s join app_user u on u.id = s.user_id and u.disabled_at is null
  join member m on m.user_id = u.id join workspace w on w.id = m.workspace_id and w.deleted_at is null
  where s.id = session and s.ended_at is null and s.expires_at > app_now()
$$;
alter function memberships(uuid) owner to parley_gate;
revoke all on function memberships(uuid) from public;
grant execute on function memberships(uuid) to parley_across;
revoke create on schema public from parley_gate;

select across_table('approval_request', 'select (workspace_id, id, post_id, state, act, for_client, requested_by)');

-- ---- alt texts

-- The model describes a picture of the library.
alter table ai_generation drop constraint ai_generation_kind_check;
alter table ai_generation add constraint ai_generation_kind_check
  check (kind in ('caption', 'rewrite', 'hashtags', 'cta', 'translate', 'image', 'suggestions', 'voice', 'alt_text'));
