-- What is written once and used again: sets of hashtags, and templates of posts.
create table saved_writing (
  workspace_id uuid not null references workspace,
  id uuid not null,
  kind text not null constraint saved_writing_kind_check check (kind in ('hashtags', 'template')),
  name text not null,
  content jsonb not null,
  version int not null default 1,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id)
);
create unique index saved_writing_name on saved_writing (workspace_id, kind, lower(name));
select tenant_table('saved_writing', 'select, insert, update, delete');
