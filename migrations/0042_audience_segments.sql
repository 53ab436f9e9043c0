-- Groups of customers by what is known of them. `count`: how many were found at `counted_at`, 10,000 at most; `more`: there are more.
create table audience_segment (
  workspace_id uuid references workspace,
  id uuid,
  name text not null,
  filter jsonb not null,
  count int,
  more boolean not null default false,
  counted_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  check ((count is null) = (counted_at is null))
);
create unique index audience_segment_name on audience_segment (workspace_id, lower(name));
select tenant_table('audience_segment', 'select, insert, update, delete');
