-- What a workspace tells its clients of its figures. Without days a report is of the last month.
create table report (
  workspace_id uuid references workspace,
  id uuid,
  name text not null,
  sections text[] not null,
  from_day date,
  to_day date,
  note text not null,
  -- Empty: all accounts.
  account_ids uuid[] not null,
  for_clients boolean not null,
  -- The day of the workspace on which the next monthly mail goes out. Null: nobody gets one.
  mail_on date,
  version int not null default 1,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  check ((from_day is null) = (to_day is null)),
  check (mail_on is null or from_day is null)
);
create unique index report_name on report (workspace_id, lower(name));
select tenant_table('report', 'select, insert, update, delete');
-- The sweep finds the reports whose mail is due.
create index report_mail_due on report (mail_on) where mail_on is not null;
select across_table('report', 'select');

-- The members who get the monthly mail of a report. Who leaves the workspace gets none.
create table report_reader (
  workspace_id uuid,
  report_id uuid,
  user_id uuid,
  primary key (workspace_id, report_id, user_id),
  foreign key (workspace_id, report_id) references report on delete cascade,
  foreign key (workspace_id, user_id) references member on delete cascade
);
create index report_reader_member on report_reader (workspace_id, user_id);
select tenant_table('report_reader', 'select, insert, delete');

-- A report at one moment, with a link that shows it. The role of the application may only end the link: nothing else of a
-- snapshot ever changes. The token is kept as a hash.
create table report_snapshot (
  workspace_id uuid,
  id uuid,
  report_id uuid not null,
  -- The first day of the month whose mail it belongs to. Null: a person made it.
  month date,
  token_hash text not null,
  workspace_name text not null,
  timezone text not null,
  name text not null,
  note text not null,
  from_day date not null,
  to_day date not null,
  figures jsonb not null,
  created_by uuid references app_user on delete set null,
  created_at timestamptz not null,
  ends_at timestamptz not null,
  revoked_at timestamptz,
  primary key (workspace_id, id),
  unique (workspace_id, report_id, month),
  foreign key (workspace_id, report_id) references report on delete cascade,
  check (ends_at <= created_at + interval '400 days')
);
create index report_snapshot_token on report_snapshot (token_hash);
create index report_snapshot_maker on report_snapshot (created_by);
select tenant_table('report_snapshot', 'select, insert, update (revoked_at)');
select across_table('report_snapshot', 'select', 'parley_gate');

-- The snapshot that a link opens, for a person who belongs to no workspace.
create function report_link_facts(token text, out workspace_id uuid, out id uuid)
returns setof record language sql stable security definer set search_path = public, pg_temp as $$
  select s.workspace_id, s.id from report_snapshot s join workspace w on w.id = s.workspace_id
  where s.token_hash = token and s.revoked_at is null and s.ends_at > app_now() and w.deleted_at is null
$$;
grant create on schema public to parley_gate; -- for its function
alter function report_link_facts(text) owner to parley_gate;
revoke create on schema public from parley_gate;
revoke all on function report_link_facts(text) from public;
grant execute on function report_link_facts(text) to parley_app;

-- The monthly mails: one for each member and month. `sealed`: the token of the link, until the mail is sent.
create table report_mail (
  workspace_id uuid,
  id uuid,
  report_id uuid not null,
  month date not null,
  user_id uuid not null,
  snapshot_id uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'sent', 'failed')),
  sealed text,
  error text check (error in ('no_mail_server', 'no_address', 'not_taken', 'link_ended')),
  -- What the mail server said, as codes.
  detail text,
  state_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, report_id, month, user_id),
  foreign key (workspace_id, report_id) references report on delete cascade,
  foreign key (workspace_id, snapshot_id) references report_snapshot on delete cascade,
  foreign key (workspace_id, user_id) references member on delete cascade
);
create index report_mail_member on report_mail (workspace_id, user_id);
create index report_mail_snapshot on report_mail (workspace_id, snapshot_id);
select tenant_table('report_mail', 'select, insert, update');
