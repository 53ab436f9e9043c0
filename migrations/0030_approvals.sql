-- A post is approved before it goes out: by members, or by a client who has a link and no account.
alter table post add column approved boolean not null default false;

create table approval_request (
  workspace_id uuid references workspace,
  id uuid,
  post_id uuid not null,
  post_version int not null,
  state text not null check (state in ('PENDING', 'APPROVED', 'REJECTED', 'WITHDRAWN')),
  act text not null check (act in ('schedule', 'publish', 'draft')),
  for_client boolean not null,
  requested_by uuid references app_user on delete set null,
  decided_by uuid references app_user on delete set null,
  decided_by_name text,
  decided_at timestamptz,
  reason text,
  reminded_at timestamptz,
  created_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, post_id) references post on delete cascade,
  check ((state = 'PENDING') = (decided_at is null)),
  check (state <> 'REJECTED' or reason is not null)
);
create unique index approval_request_pending on approval_request (workspace_id, post_id) where state = 'PENDING';
create index approval_request_post on approval_request (workspace_id, post_id, id desc);
create index approval_request_state on approval_request (workspace_id, state, id desc);
create index approval_request_waiting on approval_request (created_at) where state = 'PENDING';
select tenant_table('approval_request', 'select, insert, update');

-- What a post said at each of its versions; the latest is the post as it is.
create table post_version (
  workspace_id uuid references workspace,
  id uuid,
  post_id uuid not null,
  version int not null,
  content jsonb not null,
  saved_by uuid references app_user on delete set null,
  saved_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  unique (workspace_id, post_id, version),
  foreign key (workspace_id, post_id) references post on delete cascade
);
select tenant_table('post_version', 'select, insert, update');

create table post_comment (
  workspace_id uuid references workspace,
  id uuid,
  post_id uuid not null,
  author_id uuid references app_user on delete set null,
  author_name text not null,
  text text not null,
  mentions jsonb not null default '[]',
  deleted_at timestamptz,
  created_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, post_id) references post on delete cascade
);
create index post_comment_post on post_comment (workspace_id, post_id, id);
select tenant_table('post_comment', 'select, insert, update');

-- A link by which somebody without an account looks at one post, comments and decides. The token is kept as a keyed hash.
create table review_link (
  workspace_id uuid references workspace,
  id uuid,
  post_id uuid not null,
  token_hash text not null,
  name text not null,
  created_by uuid references app_user on delete set null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  opened_at timestamptz,
  created_at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, post_id) references post on delete cascade
);
create index review_link_token on review_link (token_hash);
create index review_link_post on review_link (workspace_id, post_id);
select tenant_table('review_link', 'select, insert, update');
select across_table('review_link', 'select', 'parley_gate');

-- What a link opens, for who belongs to no workspace.
create function review_link_facts(token text, out workspace_id uuid, out id uuid, out post_id uuid)
returns setof record language sql stable security definer set search_path = public, pg_temp as $$
  select l.workspace_id, l.id, l.post_id
  from review_link l join workspace w on w.id = l.workspace_id
  where l.token_hash = token and l.revoked_at is null and l.expires_at > app_now() and w.deleted_at is null
$$;
grant create on schema public to parley_gate; -- to be given the function
alter function review_link_facts owner to parley_gate;
revoke create on schema public from parley_gate;
revoke execute on function review_link_facts from public;
grant execute on function review_link_facts to parley_app;

-- The publisher asks whether the plan has approvals.
select across_table('subscription', 'select (workspace_id, plan_id)', 'parley_across');
