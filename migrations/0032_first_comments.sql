-- The first comment below a post by the post's own account: written once the post is live, never twice.
create table first_comment (
  workspace_id uuid references workspace,
  publication_id uuid,
  text text not null,
  state text not null default 'PENDING' check (state in ('PENDING', 'SENDING', 'POSTED', 'FAILED', 'UNCONFIRMED')),
  tries int not null default 0,
  failures int not null default 0,
  intent_at timestamptz,
  absent_reads int not null default 0,
  absent_at timestamptz,
  late_reads int not null default 0,
  late_read_at timestamptz,
  external_id text,
  error jsonb,
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, publication_id),
  foreign key (workspace_id, publication_id) references publication on delete cascade,
  check ((state = 'POSTED') = (external_id is not null)),
  check (state not in ('FAILED', 'UNCONFIRMED') or error is not null),
  check (state <> 'SENDING' or intent_at is not null)
);
select tenant_table('first_comment', 'select, insert, update');
