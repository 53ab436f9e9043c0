-- Media, posts and their approval, review links, the weekly times of the scheduler, and saved writing.

grant create on schema public to parley_gate; -- for its functions, until the end of this file

-- ---- media

-- `original_key` holds the bytes as uploaded, private. `storage_key` is the file that is served: clean, upright, and described by
-- the columns. A rejected file says its reason by a code, since `rejected_reason` is English. A deleted file that the history of a
-- post still needs stays as REJECTED with `deleted_at`, and is shown nowhere else.
create table media_file (
  workspace_id uuid references workspace,
  id uuid,
  kind text not null check (kind in ('IMAGE', 'VIDEO')),
  state text not null check (state in ('PROCESSING', 'READY', 'REJECTED')),
  rejected_reason text,
  file_name text not null,
  mime_type text not null,
  file_size bigint not null,
  width int,
  height int,
  duration double precision,
  original_key text not null,
  original_size bigint not null,
  storage_key text,
  thumbnail_key text,
  alt_text text not null default '',
  tags text[] not null default '{}',
  version int not null default 1,
  created_by uuid references app_user on delete set null,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  codec text,
  frame_rate double precision,
  deleted_at timestamptz,
  -- Networks that demand it are told, and people see it.
  ai_generated boolean not null default false,
  rejected_code text,
  primary key (workspace_id, id),
  check ((state = 'REJECTED') = (rejected_reason is not null)),
  check (state <> 'READY' or storage_key is not null),
  check (deleted_at is null or state = 'REJECTED'),
  check ((state = 'REJECTED') = (rejected_code is not null))
);
create unique index media_file_storage_key on media_file (workspace_id, storage_key);
-- The job that removes files without a row looks for their keys over all workspaces, here and in the next tables.
create index media_file_original on media_file (original_key);
create index media_file_served on media_file (storage_key);
create index media_file_thumbnail on media_file (thumbnail_key);
alter table media_file alter workspace_id set (n_distinct = -0.001); -- why: 0003
select tenant_table('media_file', 'select, insert, update, delete');
select across_table('media_file', 'select');

-- A file that a network gets instead of the served one, where it demands another format, size or ratio.
create table media_rendition (
  workspace_id uuid,
  media_file_id uuid,
  platform text,
  storage_key text not null,
  mime_type text not null,
  file_size bigint not null,
  width int not null,
  height int not null,
  created_at timestamptz not null default app_now(),
  primary key (workspace_id, media_file_id, platform),
  foreign key (workspace_id, media_file_id) references media_file on delete cascade
);
create unique index media_rendition_storage_key on media_rendition (workspace_id, storage_key);
create index media_rendition_key on media_rendition (storage_key);
select tenant_table('media_rendition', 'select, insert, update, delete');
select across_table('media_rendition', 'select');

-- A part of a picture that a person chose for a network (`post_media.crops`), as that network demands it. A row without a key is
-- still to be made. Posts with the same choice share the row.
create table media_crop (
  workspace_id uuid,
  media_file_id uuid,
  platform text not null,
  area jsonb not null,
  storage_key text,
  file_size bigint,
  width int,
  height int,
  wanted_at timestamptz not null default app_now(),
  primary key (workspace_id, media_file_id, platform, area),
  foreign key (workspace_id, media_file_id) references media_file on delete cascade
);
create unique index media_crop_storage_key on media_crop (workspace_id, storage_key);
create index media_crop_key on media_crop (storage_key);
create index media_crop_wanted on media_crop (wanted_at);
select tenant_table('media_crop', 'select, insert, update, delete');
select across_table('media_crop', 'select, delete');

-- A file that comes in pieces. Its bytes lie outside the storage, by the id of the row, until the last one is there.
create table media_upload (
  workspace_id uuid references workspace,
  id uuid,
  created_by uuid not null references app_user on delete cascade,
  file_name text not null,
  declared_type text not null,
  size bigint not null check (size > 0),
  -- The file that was made from the upload once it was whole.
  media_file_id uuid,
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, media_file_id) references media_file on delete cascade
);
create index media_upload_of on media_upload (workspace_id, created_by);
create index media_upload_file on media_upload (workspace_id, media_file_id);
create index media_upload_expires on media_upload (expires_at);
select tenant_table('media_upload', 'select, insert, update, delete');
select across_table('media_upload', 'select, delete');

-- ---- posts

create table post (
  workspace_id uuid references workspace,
  id uuid,
  caption text not null default '',
  hashtags text[] not null default '{}',
  cta text not null default '',
  media_type text check (media_type in ('IMAGE', 'VIDEO', 'CAROUSEL')),
  caption_overrides jsonb not null default '{}',
  hashtag_overrides jsonb not null default '{}',
  platform_options jsonb not null default '{}',
  status text not null check (status in ('DRAFT', 'SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED')),
  scheduled_at timestamptz,
  published_at timestamptz,
  late boolean not null default false,
  checks jsonb not null default '[]',
  version int not null default 1,
  created_by uuid references app_user on delete set null,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  deleted_at timestamptz,
  -- A live post happens when it was published, not at its planned time.
  happens_at timestamptz not null generated always as (coalesce(published_at, scheduled_at, created_at)) stored,
  approved boolean not null default false,
  -- The wishes of this post about the parameters of links; null: as its workspace has it.
  link_tags jsonb not null default '{"on": null, "campaign": null}',
  primary key (workspace_id, id),
  check (status <> 'SCHEDULED' or scheduled_at is not null)
);
create index post_list on post (workspace_id, id desc) where deleted_at is null;
create index post_happens on post (workspace_id, happens_at) where deleted_at is null;
-- The watch looks for posts that should be moving.
create index post_moving on post (scheduled_at) where status in ('SCHEDULED', 'PUBLISHING');
-- Posts that wait for a person are found without reading all that are done. The operator's count of unconfirmed targets finds them
-- by their post: an index whose condition names the state of a delivery would make each of its steps write to every index.
create index post_not_whole on post (workspace_id, id) where status in ('PARTIALLY_PUBLISHED', 'FAILED');
create index post_unsettled on post (workspace_id, id)
  where deleted_at is null and status in ('SCHEDULED', 'PUBLISHING', 'PARTIALLY_PUBLISHED', 'FAILED');
alter table post alter workspace_id set (n_distinct = -0.001), alter status set (n_distinct = 8); -- why: 0003
select tenant_table('post', 'select, insert, update');
select across_table('post', 'select, update');

create table post_media (
  workspace_id uuid,
  post_id uuid,
  media_file_id uuid,
  sort_order int not null,
  platforms text[],
  -- The part of a picture that a network gets: {"NET_PHOTO": {"x", "y", "width", "height"}}, in pixels of the upright picture.
  crops jsonb not null default '{}',
  primary key (workspace_id, post_id, media_file_id),
  foreign key (workspace_id, post_id) references post,
  foreign key (workspace_id, media_file_id) references media_file
);
create index post_media_file on post_media (workspace_id, media_file_id);
alter table post_media alter workspace_id set (n_distinct = -0.001); -- why: 0003
select tenant_table('post_media', 'select, insert, update, delete');
select across_table('post_media', 'select');

-- The content of a post at each of its versions; the latest is the post as it is.
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

-- ---- approvals

-- A post is approved before it goes out: by members, or by a client who has a link and no account.
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

-- A link by which a person without an account looks at one post, comments and decides. The token is kept as a keyed hash.
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
create index review_link_maker on review_link (created_by) where revoked_at is null;
select tenant_table('review_link', 'select, insert, update');
select across_table('review_link', 'select, update (revoked_at)', 'parley_gate');

-- The post that a link opens, for a person who belongs to no workspace.
create function review_link_facts(token text, out workspace_id uuid, out id uuid, out post_id uuid)
returns setof record language sql stable security definer set search_path = public, pg_temp as $$
  select l.workspace_id, l.id, l.post_id
  from review_link l join workspace w on w.id = l.workspace_id
  where l.token_hash = token and l.revoked_at is null and l.expires_at > app_now() and w.deleted_at is null
$$;
alter function review_link_facts(text) owner to parley_gate;
revoke all on function review_link_facts(text) from public;
grant execute on function review_link_facts(text) to parley_app;

-- A review link ends when the membership of its maker does, when their role may no longer make links, and in every workspace when
-- their account is disabled. Triggers hold this for every way in which that happens. The update waits for a decision by the link
-- that is under way, which locks the link's row.
create function end_review_links() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update review_link set revoked_at = app_now()
    where workspace_id = old.workspace_id and created_by = old.user_id and revoked_at is null;
  return null;
end $$;
alter function end_review_links() owner to parley_gate;
revoke all on function end_review_links() from public;

create function end_review_links_of_disabled() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update review_link set revoked_at = app_now() where created_by = old.id and revoked_at is null;
  return null;
end $$;
alter function end_review_links_of_disabled() owner to parley_gate;
revoke all on function end_review_links_of_disabled() from public;

create trigger review_links_end after delete on member for each row execute function end_review_links();
create trigger review_links_end_with_role after update on member for each row
  when (old.role <> new.role and new.role in ('VIEWER', 'CLIENT')) execute function end_review_links();
create trigger review_links_end after update on app_user for each row
  when (old.disabled_at is null and new.disabled_at is not null) execute function end_review_links_of_disabled();

-- ---- scheduler and writing

-- The times of the week at which queued posts go out, in the zone of the workspace.
create table posting_queue (
  workspace_id uuid primary key references workspace,
  slots jsonb not null default '[]',
  version int not null default 1,
  updated_at timestamptz not null default app_now()
);
select tenant_table('posting_queue', 'select, insert, update');

-- Texts that are written once and used again: sets of hashtags, and templates of posts.
create table saved_writing (
  workspace_id uuid references workspace,
  id uuid,
  kind text not null check (kind in ('hashtags', 'template')),
  name text not null,
  content jsonb not null,
  version int not null default 1,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id)
);
create unique index saved_writing_name on saved_writing (workspace_id, kind, lower(name));
select tenant_table('saved_writing', 'select, insert, update, delete');

revoke create on schema public from parley_gate;
