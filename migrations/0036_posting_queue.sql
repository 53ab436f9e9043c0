-- The times of the week at which queued posts go out, in the zone of the workspace.
create table posting_queue (
  workspace_id uuid primary key references workspace,
  slots jsonb not null default '[]',
  version int not null default 1,
  updated_at timestamptz not null default app_now()
);
select tenant_table('posting_queue', 'select, insert, update');
