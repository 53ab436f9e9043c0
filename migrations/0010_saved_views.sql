-- Saved views: the filters of a screen under a name, for one member or for all of a workspace.

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
