-- Labels, which people put on posts to find them again: of a workspace, by name and colour.

create table label (
  workspace_id uuid references workspace,
  id uuid,
  name text not null,
  color text not null check (color in ('gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink')),
  version int not null default 1,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id)
);
create unique index label_name on label (workspace_id, lower(name));
select tenant_table('label', 'select, insert, update, delete');

-- No part of what a post says: a change of it makes no version and voids no approval.
create table post_label (
  workspace_id uuid,
  post_id uuid,
  label_id uuid,
  primary key (workspace_id, post_id, label_id),
  foreign key (workspace_id, post_id) references post on delete cascade,
  foreign key (workspace_id, label_id) references label on delete cascade
);
create index post_label_label on post_label (workspace_id, label_id);
select tenant_table('post_label', 'select, insert, delete');
