-- Made by npm run schema from the migrations. Not to be edited: it shows each change in review.

grant usage on schema public to parley_across;
grant usage on schema public to parley_admin;
grant usage on schema public to parley_app;
grant usage on schema public to parley_eraser;
grant usage on schema public to parley_gate;

create table ab_block (
  workspace_id uuid not null,
  test_id uuid not null,
  n integer not null,
  first_is_a boolean not null,
  first_post_id uuid,
  second_post_id uuid,
  dropped text,
  ratio double precision,
  constraint ab_block_pkey PRIMARY KEY (workspace_id, test_id, n),
  constraint ab_block_workspace_id_first_post_id_fkey FOREIGN KEY (workspace_id, first_post_id) REFERENCES post(workspace_id, id),
  constraint ab_block_workspace_id_second_post_id_fkey FOREIGN KEY (workspace_id, second_post_id) REFERENCES post(workspace_id, id),
  constraint ab_block_workspace_id_test_id_fkey FOREIGN KEY (workspace_id, test_id) REFERENCES ab_test(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX ab_block_first ON public.ab_block USING btree (workspace_id, first_post_id);
CREATE INDEX ab_block_second ON public.ab_block USING btree (workspace_id, second_post_id);
alter table ab_block enable row level security;
alter table ab_block force row level security;
create policy across_parley_eraser on ab_block for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on ab_block for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on ab_block to parley_app;
grant delete, select on ab_block to parley_eraser;

create table ab_test (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  account_id uuid not null,
  kind text not null,
  slot text not null,
  trait text not null,
  a text not null,
  b text not null,
  state text not null default 'draft'::text,
  result jsonb,
  version integer not null default 1,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  checked_at timestamp with time zone,
  constraint ab_test_pkey PRIMARY KEY (workspace_id, id),
  constraint ab_test_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id),
  constraint ab_test_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint ab_test_check CHECK (((state = 'done'::text) = (result IS NOT NULL))),
  constraint ab_test_kind_check CHECK ((kind = ANY (ARRAY['post'::text, 'reel'::text, 'pictures'::text]))),
  constraint ab_test_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'running'::text, 'done'::text, 'stopped'::text]))),
  constraint ab_test_trait_check CHECK ((trait = ANY (ARRAY['topic'::text, 'tone'::text, 'length'::text, 'link'::text, 'question'::text])))
);
CREATE UNIQUE INDEX ab_test_name ON public.ab_test USING btree (workspace_id, lower(name));
CREATE INDEX ab_test_unchecked ON public.ab_test USING btree (COALESCE(checked_at, started_at)) WHERE (state = 'running'::text);
alter table ab_test enable row level security;
alter table ab_test force row level security;
create policy across_parley_across on ab_test for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on ab_test for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on ab_test for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on ab_test to parley_across;
grant delete, insert, select, update on ab_test to parley_app;
grant delete, select on ab_test to parley_eraser;

create table account_metric (
  workspace_id uuid not null,
  account_id uuid not null,
  day date not null,
  ends_at timestamp with time zone not null,
  followers bigint,
  reach bigint,
  reach_7 bigint,
  reach_28 bigint,
  impressions bigint,
  engagement bigint,
  source text not null,
  read_at timestamp with time zone not null,
  constraint account_metric_pkey PRIMARY KEY (workspace_id, account_id, day),
  constraint account_metric_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id),
  constraint account_metric_source_check CHECK ((source = ANY (ARRAY['network'::text, 'difference'::text])))
);
alter table account_metric enable row level security;
alter table account_metric force row level security;
create policy across_parley_eraser on account_metric for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on account_metric for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select, update on account_metric to parley_app;
grant delete, select on account_metric to parley_eraser;

create table account_sync (
  workspace_id uuid not null,
  account_id uuid not null,
  next_at timestamp with time zone,
  ok_at timestamp with time zone,
  failures integer not null default 0,
  error text,
  gaps jsonb not null default '[]'::jsonb,
  lease_until timestamp with time zone,
  found_at timestamp with time zone,
  found_after text,
  days_at timestamp with time zone,
  by_hand_at timestamp with time zone,
  constraint account_sync_pkey PRIMARY KEY (workspace_id, account_id),
  constraint account_sync_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id)
);
alter table account_sync enable row level security;
alter table account_sync force row level security;
create policy across_parley_across on account_sync for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on account_sync for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on account_sync for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on account_sync to parley_across;
grant insert, select, update on account_sync to parley_app;
grant delete, select on account_sync to parley_eraser;

create table ai_generation (
  workspace_id uuid not null,
  id uuid not null,
  kind text not null,
  status text not null default 'QUEUED'::text,
  input jsonb not null,
  asked integer not null,
  options jsonb not null default '[]'::jsonb,
  dropped jsonb not null default '[]'::jsonb,
  media_file_id uuid,
  voice jsonb,
  applied boolean,
  error jsonb,
  credits integer not null,
  brand_voice_id uuid,
  post_id uuid,
  accepted_option integer,
  accepted_post_id uuid,
  model text,
  input_tokens integer,
  output_tokens integer,
  credit_hold uuid,
  generation_hold uuid,
  created_by uuid,
  created_at timestamp with time zone not null default app_now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  leased_until timestamp with time zone,
  told_voice jsonb,
  constraint ai_generation_pkey PRIMARY KEY (workspace_id, id),
  constraint ai_generation_created_by_fkey FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint ai_generation_workspace_id_accepted_post_id_fkey FOREIGN KEY (workspace_id, accepted_post_id) REFERENCES post(workspace_id, id) ON DELETE SET NULL (accepted_post_id),
  constraint ai_generation_workspace_id_brand_voice_id_fkey FOREIGN KEY (workspace_id, brand_voice_id) REFERENCES brand_voice(workspace_id, id) ON DELETE SET NULL (brand_voice_id),
  constraint ai_generation_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint ai_generation_workspace_id_media_file_id_fkey FOREIGN KEY (workspace_id, media_file_id) REFERENCES media_file(workspace_id, id) ON DELETE SET NULL (media_file_id),
  constraint ai_generation_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES post(workspace_id, id) ON DELETE SET NULL (post_id),
  constraint ai_generation_check CHECK (((status = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text])) = (ended_at IS NULL))),
  constraint ai_generation_kind_check CHECK ((kind = ANY (ARRAY['caption'::text, 'rewrite'::text, 'hashtags'::text, 'cta'::text, 'translate'::text, 'image'::text, 'suggestions'::text, 'voice'::text, 'alt_text'::text]))),
  constraint ai_generation_status_check CHECK ((status = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text, 'SUCCEEDED'::text, 'FAILED'::text, 'CANCELLED'::text])))
);
CREATE INDEX ai_generation_accepted ON public.ai_generation USING btree (workspace_id, accepted_post_id);
CREATE INDEX ai_generation_created ON public.ai_generation USING btree (workspace_id, created_at DESC, id DESC);
CREATE INDEX ai_generation_media ON public.ai_generation USING btree (workspace_id, media_file_id);
CREATE INDEX ai_generation_open ON public.ai_generation USING btree (workspace_id, id) WHERE (status = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text]));
CREATE INDEX ai_generation_post ON public.ai_generation USING btree (workspace_id, post_id);
CREATE INDEX ai_generation_voice ON public.ai_generation USING btree (workspace_id, brand_voice_id);
alter table ai_generation enable row level security;
alter table ai_generation force row level security;
create policy across_parley_across on ai_generation for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on ai_generation for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on ai_generation for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select, update on ai_generation to parley_app;
grant delete, select on ai_generation to parley_eraser;
grant select (workspace_id, status) on ai_generation to parley_across;

create table ai_suggestion (
  workspace_id uuid not null,
  id uuid not null,
  kind text not null,
  title text not null,
  reason text not null,
  brief jsonb not null,
  score real not null,
  made_at timestamp with time zone not null default app_now(),
  scheduled_at timestamp with time zone,
  constraint ai_suggestion_pkey PRIMARY KEY (workspace_id, id),
  constraint ai_suggestion_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint ai_suggestion_kind_check CHECK ((kind = ANY (ARRAY['topic'::text, 'gap'::text, 'repost'::text, 'hashtag'::text, 'time'::text])))
);
alter table ai_suggestion enable row level security;
alter table ai_suggestion force row level security;
create policy across_parley_eraser on ai_suggestion for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on ai_suggestion for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select on ai_suggestion to parley_app;
grant delete, select on ai_suggestion to parley_eraser;

create table app_clock (
  singleton boolean not null default true,
  shift interval not null default '00:00:00'::interval,
  constraint app_clock_pkey PRIMARY KEY (singleton),
  constraint app_clock_singleton_check CHECK (singleton)
);
grant select on app_clock to parley_across;
grant select on app_clock to parley_admin;
grant select on app_clock to parley_app;
grant select on app_clock to parley_eraser;
grant select on app_clock to parley_gate;

create table app_user (
  id uuid not null,
  email text,
  email_confirmed_at timestamp with time zone,
  phone text,
  phone_confirmed_at timestamp with time zone,
  password_hash text,
  name text not null default ''::text,
  avatar_url text,
  language text not null default 'en'::text,
  timezone text not null default 'UTC'::text,
  onboarded_at timestamp with time zone,
  is_super_admin boolean not null default false,
  disabled_at timestamp with time zone,
  default_workspace_id uuid,
  created_at timestamp with time zone not null default app_now(),
  goals text[] not null default '{}'::text[],
  quiet_from time without time zone,
  quiet_until time without time zone,
  constraint app_user_pkey PRIMARY KEY (id),
  constraint app_user_check CHECK (((quiet_from IS NULL) = (quiet_until IS NULL))),
  constraint app_user_check1 CHECK ((quiet_from <> quiet_until)),
  constraint app_user_email_check CHECK ((email = lower(email)))
);
CREATE UNIQUE INDEX app_user_email ON public.app_user USING btree (email);
CREATE UNIQUE INDEX app_user_phone ON public.app_user USING btree (phone);
CREATE TRIGGER review_links_end AFTER UPDATE ON public.app_user FOR EACH ROW WHEN (((old.disabled_at IS NULL) AND (new.disabled_at IS NOT NULL))) EXECUTE FUNCTION end_review_links_of_disabled();
CREATE TRIGGER standing BEFORE UPDATE ON public.app_user FOR EACH ROW WHEN ((((old.disabled_at IS NULL) AND (new.disabled_at IS NOT NULL)) OR (old.is_super_admin AND (NOT new.is_super_admin)))) EXECUTE FUNCTION lock_standing();
grant insert, select on app_user to parley_app;
grant select on app_user to parley_gate;
grant select (id, email, phone, name, is_super_admin, disabled_at, created_at) on app_user to parley_admin;
grant update (disabled_at) on app_user to parley_admin;
grant update (email, email_confirmed_at, phone, phone_confirmed_at, password_hash, name, avatar_url, language, timezone, onboarded_at, default_workspace_id, goals, quiet_from, quiet_until) on app_user to parley_app;

create table approval_request (
  workspace_id uuid not null,
  id uuid not null,
  post_id uuid not null,
  post_version integer not null,
  state text not null,
  act text not null,
  for_client boolean not null,
  requested_by uuid,
  decided_by uuid,
  decided_by_name text,
  decided_at timestamp with time zone,
  reason text,
  reminded_at timestamp with time zone,
  created_at timestamp with time zone not null default app_now(),
  constraint approval_request_pkey PRIMARY KEY (workspace_id, id),
  constraint approval_request_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint approval_request_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint approval_request_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint approval_request_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES post(workspace_id, id) ON DELETE CASCADE,
  constraint approval_request_act_check CHECK ((act = ANY (ARRAY['schedule'::text, 'publish'::text, 'draft'::text]))),
  constraint approval_request_check CHECK (((state = 'PENDING'::text) = (decided_at IS NULL))),
  constraint approval_request_check1 CHECK (((state <> 'REJECTED'::text) OR (reason IS NOT NULL))),
  constraint approval_request_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'REJECTED'::text, 'WITHDRAWN'::text])))
);
CREATE UNIQUE INDEX approval_request_pending ON public.approval_request USING btree (workspace_id, post_id) WHERE (state = 'PENDING'::text);
CREATE INDEX approval_request_post ON public.approval_request USING btree (workspace_id, post_id, id DESC);
CREATE INDEX approval_request_state ON public.approval_request USING btree (workspace_id, state, id DESC);
CREATE INDEX approval_request_waiting ON public.approval_request USING btree (created_at) WHERE (state = 'PENDING'::text);
alter table approval_request enable row level security;
alter table approval_request force row level security;
create policy across_parley_across on approval_request for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on approval_request for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on approval_request for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select, update on approval_request to parley_app;
grant delete, select on approval_request to parley_eraser;
grant select (workspace_id, id, post_id, state, act, for_client, requested_by) on approval_request to parley_across;

create table audience_identity (
  workspace_id uuid not null,
  id uuid not null,
  node_id uuid not null,
  account_id uuid not null,
  hash text not null,
  value text not null,
  username text,
  words tsvector generated always as ((to_tsvector('simple'::regconfig, translate(COALESCE(username, ''::text), '._-@/'::text, '     '::text)) || array_to_tsvector(ARRAY[('w:'::text || (workspace_id)::text)]))) stored,
  heat double precision not null default 0,
  heat_at timestamp with time zone,
  last_seen timestamp with time zone,
  username_key text generated always as (
CASE
    WHEN (length(username) > 3) THEN translate(lower(username), ' ._-@/'::text, ''::text)
    ELSE NULL::text
END) stored,
  constraint audience_identity_pkey PRIMARY KEY (workspace_id, id),
  constraint audience_identity_workspace_id_account_id_hash_key UNIQUE (workspace_id, account_id, hash),
  constraint audience_identity_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id),
  constraint audience_identity_workspace_id_node_id_fkey FOREIGN KEY (workspace_id, node_id) REFERENCES audience_node(workspace_id, id),
  constraint audience_identity_check CHECK (((heat = (0)::double precision) = (heat_at IS NULL)))
);
CREATE INDEX audience_identity_node ON public.audience_identity USING btree (workspace_id, node_id);
CREATE INDEX audience_identity_username ON public.audience_identity USING btree (workspace_id, username_key) WHERE (username_key IS NOT NULL);
CREATE INDEX audience_identity_words ON public.audience_identity USING gin (words);
alter table audience_identity enable row level security;
alter table audience_identity force row level security;
create policy across_parley_across on audience_identity for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on audience_identity for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on audience_identity for all to parley_gate
  using (true)
  with check (true);
create policy tenant on audience_identity for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on audience_identity to parley_across;
grant delete, insert, select, update on audience_identity to parley_app;
grant delete, select on audience_identity to parley_eraser;
grant select on audience_identity to parley_gate;

create table audience_merge (
  workspace_id uuid not null,
  id uuid not null,
  node_id uuid not null,
  merged_id uuid not null,
  identities uuid[] not null,
  name text not null,
  language text,
  tags text[] not null,
  at timestamp with time zone not null,
  corrected text[] not null default '{}'::text[],
  constraint audience_merge_pkey PRIMARY KEY (workspace_id, id),
  constraint audience_merge_workspace_id_merged_id_key UNIQUE (workspace_id, merged_id),
  constraint audience_merge_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint audience_merge_workspace_id_merged_id_fkey FOREIGN KEY (workspace_id, merged_id) REFERENCES audience_node(workspace_id, id),
  constraint audience_merge_workspace_id_node_id_fkey FOREIGN KEY (workspace_id, node_id) REFERENCES audience_node(workspace_id, id)
);
CREATE INDEX audience_merge_node ON public.audience_merge USING btree (workspace_id, node_id, at);
alter table audience_merge enable row level security;
alter table audience_merge force row level security;
create policy across_parley_eraser on audience_merge for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on audience_merge for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select on audience_merge to parley_app;
grant delete, select on audience_merge to parley_eraser;
grant update (corrected) on audience_merge to parley_app;

create table audience_node (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  created_at timestamp with time zone not null default app_now(),
  erased_at timestamp with time zone,
  words tsvector generated always as ((to_tsvector('simple'::regconfig, translate(name, '._-@/'::text, '     '::text)) || array_to_tsvector(ARRAY[('w:'::text || (workspace_id)::text)]))) stored,
  language text,
  tags text[] not null default '{}'::text[],
  heat double precision not null default 0,
  heat_at timestamp with time zone,
  last_seen timestamp with time zone,
  merged_into uuid,
  warmth bigint not null generated always as (warmth(heat, heat_at)) stored,
  contact bigint not null generated always as (((EXTRACT(epoch FROM (COALESCE(last_seen, created_at) - '2000-01-01 00:00:00+00'::timestamp with time zone)) * (1000)::numeric))::bigint) stored,
  name_key text generated always as (
CASE
    WHEN ((POSITION((' '::text) IN (name)) > 0) AND (length(name) > 4)) THEN translate(lower(name), ' ._-@/'::text, ''::text)
    ELSE NULL::text
END) stored,
  version integer not null default 1,
  erasing_at timestamp with time zone,
  constraint audience_node_pkey PRIMARY KEY (workspace_id, id),
  constraint audience_node_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint audience_node_workspace_id_merged_into_fkey FOREIGN KEY (workspace_id, merged_into) REFERENCES audience_node(workspace_id, id),
  constraint audience_node_check CHECK (((heat = (0)::double precision) = (heat_at IS NULL)))
);
CREATE INDEX audience_node_contact ON public.audience_node USING btree (contact) WHERE ((erased_at IS NULL) AND (merged_into IS NULL));
CREATE INDEX audience_node_merged ON public.audience_node USING btree (workspace_id, merged_into) WHERE (merged_into IS NOT NULL);
CREATE INDEX audience_node_name ON public.audience_node USING btree (workspace_id, name_key) WHERE (name_key IS NOT NULL);
CREATE INDEX audience_node_seen ON public.audience_node USING btree (workspace_id, contact DESC, id DESC) WHERE ((erased_at IS NULL) AND (merged_into IS NULL));
CREATE INDEX audience_node_warmest ON public.audience_node USING btree (workspace_id, warmth DESC, id DESC) WHERE ((erased_at IS NULL) AND (merged_into IS NULL));
CREATE INDEX audience_node_words ON public.audience_node USING gin (words);
alter table audience_node enable row level security;
alter table audience_node force row level security;
create policy across_parley_across on audience_node for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on audience_node for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on audience_node for all to parley_gate
  using (true)
  with check (true);
create policy tenant on audience_node for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on audience_node to parley_app;
grant delete, select on audience_node to parley_eraser;
grant select on audience_node to parley_gate;
grant select (workspace_id, erased_at, merged_into, contact) on audience_node to parley_across;

create table audience_segment (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  filter jsonb not null,
  count integer,
  more boolean not null default false,
  counted_at timestamp with time zone,
  version integer not null default 1,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  constraint audience_segment_pkey PRIMARY KEY (workspace_id, id),
  constraint audience_segment_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint audience_segment_check CHECK (((count IS NULL) = (counted_at IS NULL)))
);
CREATE UNIQUE INDEX audience_segment_name ON public.audience_segment USING btree (workspace_id, lower(name));
alter table audience_segment enable row level security;
alter table audience_segment force row level security;
create policy across_parley_eraser on audience_segment for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on audience_segment for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on audience_segment to parley_app;
grant delete, select on audience_segment to parley_eraser;

create table audit_entry (
  workspace_id uuid not null,
  id uuid not null,
  at timestamp with time zone not null default app_now(),
  actor_kind text not null,
  actor_id uuid,
  action text not null,
  object jsonb not null,
  detail jsonb not null default '{}'::jsonb,
  ip text,
  request_id text,
  constraint audit_entry_pkey PRIMARY KEY (workspace_id, id),
  constraint audit_entry_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint audit_entry_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['user'::text, 'system'::text])))
);
CREATE INDEX audit_post_events ON public.audit_entry USING btree (workspace_id, id) WHERE (action = ANY (ARRAY['approval.requested'::text, 'approval.approved'::text, 'approval.rejected'::text, 'approval.withdrawn'::text, 'post.scheduled'::text, 'post.cancelled'::text, 'post.publish_requested'::text, 'post.retried'::text, 'post.backdated'::text, 'publication.attempt_failed'::text, 'publication.failed'::text, 'publication.stopped'::text, 'publication.retried_now'::text]));
alter table audit_entry enable row level security;
alter table audit_entry force row level security;
create policy across_parley_across on audit_entry for insert to parley_across
  with check (((actor_kind = 'system'::text) AND (action = 'publication.published'::text)));
create policy across_parley_eraser on audit_entry for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on audit_entry for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select on audit_entry to parley_app;
grant delete, select on audit_entry to parley_eraser;
grant insert (workspace_id, id, actor_kind, action, object, detail) on audit_entry to parley_across;

create table bot_claim (
  workspace_id uuid not null,
  platform text not null,
  external_id text not null,
  account_id uuid not null,
  constraint bot_claim_pkey PRIMARY KEY (workspace_id, platform, external_id),
  constraint bot_claim_page UNIQUE (platform, external_id),
  constraint bot_claim_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id),
  constraint bot_claim_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE INDEX bot_claim_account ON public.bot_claim USING btree (workspace_id, account_id);
alter table bot_claim enable row level security;
alter table bot_claim force row level security;
create policy across_parley_across on bot_claim for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on bot_claim for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on bot_claim for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, select on bot_claim to parley_across;
grant delete, insert, select on bot_claim to parley_app;
grant delete, select on bot_claim to parley_eraser;

create table bot_config (
  workspace_id uuid not null,
  is_enabled boolean not null default false,
  auto_reply_comments boolean not null default true,
  auto_reply_dms boolean not null default true,
  comment_to_dm_enabled boolean not null default false,
  max_auto_replies_per_thread integer not null default 3,
  reply_delay_seconds integer not null default 0,
  working_hours_only boolean not null default false,
  working_hours_start text,
  working_hours_end text,
  working_timezone text,
  brand_voice_id uuid,
  max_confidence_for_auto double precision not null default 0.7,
  blocked_topics text[] not null default '{}'::text[],
  escalate_keywords text[] not null default '{}'::text[],
  knowledge_hash text,
  ab_testing_enabled boolean not null default false,
  handoff_text text,
  disclosure_text text,
  drafts_only_until timestamp with time zone,
  told_no_credits_at timestamp with time zone,
  version integer not null default 1,
  updated_at timestamp with time zone,
  updated_by uuid,
  constraint bot_config_pkey PRIMARY KEY (workspace_id),
  constraint bot_config_updated_by_fkey FOREIGN KEY (updated_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint bot_config_workspace_id_brand_voice_id_fkey FOREIGN KEY (workspace_id, brand_voice_id) REFERENCES brand_voice(workspace_id, id) ON DELETE SET NULL (brand_voice_id),
  constraint bot_config_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint bot_config_workspace_id_knowledge_hash_fkey FOREIGN KEY (workspace_id, knowledge_hash) REFERENCES bot_knowledge(workspace_id, hash),
  constraint bot_config_max_auto_replies_per_thread_check CHECK (((max_auto_replies_per_thread >= 0) AND (max_auto_replies_per_thread <= 50))),
  constraint bot_config_max_confidence_for_auto_check CHECK (((max_confidence_for_auto >= (0)::double precision) AND (max_confidence_for_auto <= (1)::double precision))),
  constraint bot_config_reply_delay_seconds_check CHECK (((reply_delay_seconds >= 0) AND (reply_delay_seconds <= 86400)))
);
CREATE INDEX bot_config_person ON public.bot_config USING btree (updated_by) WHERE (updated_by IS NOT NULL);
CREATE INDEX bot_config_voice ON public.bot_config USING btree (workspace_id, brand_voice_id) WHERE (brand_voice_id IS NOT NULL);
alter table bot_config enable row level security;
alter table bot_config force row level security;
create policy across_parley_across on bot_config for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on bot_config for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on bot_config for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select, update on bot_config to parley_app;
grant delete, select on bot_config to parley_eraser;
grant select (workspace_id, is_enabled, knowledge_hash) on bot_config to parley_across;

create table bot_knowledge (
  workspace_id uuid not null,
  hash text not null,
  faq_entries jsonb not null,
  knowledge_base jsonb not null,
  created_at timestamp with time zone not null default app_now(),
  constraint bot_knowledge_pkey PRIMARY KEY (workspace_id, hash),
  constraint bot_knowledge_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
alter table bot_knowledge enable row level security;
alter table bot_knowledge force row level security;
create policy across_parley_across on bot_knowledge for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on bot_knowledge for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on bot_knowledge for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, select on bot_knowledge to parley_across;
grant delete, insert, select on bot_knowledge to parley_app;
grant delete, select on bot_knowledge to parley_eraser;
grant update (created_at) on bot_knowledge to parley_app;

create table brand_voice (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  tone_attributes text[] not null default '{}'::text[],
  vocabulary jsonb not null default '{"avoid": [], "terms": [], "phrases": []}'::jsonb,
  writing_style text not null default ''::text,
  sample_posts text[] not null default '{}'::text[],
  is_default boolean not null default false,
  version integer not null default 1,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  constraint brand_voice_pkey PRIMARY KEY (workspace_id, id),
  constraint brand_voice_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE UNIQUE INDEX brand_voice_default ON public.brand_voice USING btree (workspace_id) WHERE is_default;
CREATE UNIQUE INDEX brand_voice_name ON public.brand_voice USING btree (workspace_id, lower(name));
alter table brand_voice enable row level security;
alter table brand_voice force row level security;
create policy across_parley_eraser on brand_voice for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on brand_voice for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on brand_voice to parley_app;
grant delete, select on brand_voice to parley_eraser;

create table competitor (
  workspace_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  external_id text not null,
  username text not null,
  name text not null,
  next_at timestamp with time zone not null,
  failures integer not null default 0,
  error text,
  created_at timestamp with time zone not null default app_now(),
  constraint competitor_pkey PRIMARY KEY (workspace_id, id),
  constraint competitor_workspace_id_external_id_key UNIQUE (workspace_id, external_id),
  constraint competitor_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id),
  constraint competitor_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE INDEX competitor_overdue ON public.competitor USING btree (next_at);
alter table competitor enable row level security;
alter table competitor force row level security;
create policy across_parley_across on competitor for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on competitor for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on competitor for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on competitor to parley_across;
grant delete, insert, select, update on competitor to parley_app;
grant delete, select on competitor to parley_eraser;

create table competitor_snapshot (
  workspace_id uuid not null,
  competitor_id uuid not null,
  day date not null,
  read_at timestamp with time zone not null,
  followers bigint,
  media_count bigint,
  posts jsonb not null,
  constraint competitor_snapshot_pkey PRIMARY KEY (workspace_id, competitor_id, day),
  constraint competitor_snapshot_workspace_id_competitor_id_fkey FOREIGN KEY (workspace_id, competitor_id) REFERENCES competitor(workspace_id, id) ON DELETE CASCADE
);
alter table competitor_snapshot enable row level security;
alter table competitor_snapshot force row level security;
create policy across_parley_eraser on competitor_snapshot for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on competitor_snapshot for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on competitor_snapshot to parley_app;
grant delete, select on competitor_snapshot to parley_eraser;

create table credential_undo (
  token_hash text not null,
  user_id uuid not null,
  change text not null,
  former text,
  identity_id uuid,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  id bigint not null generated always as identity,
  removed jsonb,
  constraint credential_undo_pkey PRIMARY KEY (token_hash),
  constraint credential_undo_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint credential_undo_change_check CHECK ((change = ANY (ARRAY['email'::text, 'phone'::text, 'identity'::text, 'identity_removed'::text, 'password'::text]))),
  constraint credential_undo_check CHECK (((change = 'identity'::text) = (identity_id IS NOT NULL))),
  constraint credential_undo_check1 CHECK (((change = 'identity_removed'::text) = (removed IS NOT NULL)))
);
CREATE INDEX credential_undo_expired ON public.credential_undo USING btree (expires_at);
CREATE UNIQUE INDEX credential_undo_id ON public.credential_undo USING btree (id);
CREATE INDEX credential_undo_user ON public.credential_undo USING btree (user_id, created_at);
grant delete, insert, select, update on credential_undo to parley_app;

create table credit_entry (
  workspace_id uuid not null,
  id uuid not null,
  generation_id uuid,
  period date not null,
  credits integer not null,
  at timestamp with time zone not null default app_now(),
  decision_id uuid,
  constraint credit_entry_pkey PRIMARY KEY (workspace_id, id),
  constraint credit_entry_workspace_id_decision_id_fkey FOREIGN KEY (workspace_id, decision_id) REFERENCES decision(workspace_id, id),
  constraint credit_entry_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint credit_entry_workspace_id_generation_id_fkey FOREIGN KEY (workspace_id, generation_id) REFERENCES ai_generation(workspace_id, id),
  constraint credit_entry_check CHECK (((generation_id IS NULL) <> (decision_id IS NULL))),
  constraint credit_entry_credits_check CHECK ((credits > 0))
);
CREATE UNIQUE INDEX credit_entry_decision ON public.credit_entry USING btree (workspace_id, decision_id) WHERE (decision_id IS NOT NULL);
CREATE UNIQUE INDEX credit_entry_generation ON public.credit_entry USING btree (workspace_id, generation_id);
CREATE INDEX credit_entry_period ON public.credit_entry USING btree (workspace_id, period);
alter table credit_entry enable row level security;
alter table credit_entry force row level security;
create policy across_parley_eraser on credit_entry for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on credit_entry for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select on credit_entry to parley_app;
grant delete, select on credit_entry to parley_eraser;

create table decision (
  workspace_id uuid not null,
  id uuid not null,
  kind text not null,
  thread_id uuid,
  message_id uuid,
  run_id uuid,
  place integer not null default 0,
  revision integer not null default 0,
  state text not null default 'QUEUED'::text,
  rank integer not null default 0,
  fence integer not null default 0,
  leased_until timestamp with time zone,
  due_at timestamp with time zone,
  verdict text,
  hold text,
  facts jsonb not null default '{}'::jsonb,
  knowledge_hash text,
  log jsonb not null default '[]'::jsonb,
  rules_version integer not null default 1,
  reply text,
  sources jsonb not null default '[]'::jsonb,
  vetoes text[] not null default '{}'::text[],
  confidence double precision,
  model text,
  input_tokens integer,
  output_tokens integer,
  credit_hold uuid,
  generation_hold uuid,
  created_by uuid,
  created_at timestamp with time zone not null default app_now(),
  ended_at timestamp with time zone,
  erased_at timestamp with time zone,
  failures integer not null default 0,
  checked_at timestamp with time zone,
  checked_by uuid,
  check_flag text,
  constraint decision_pkey PRIMARY KEY (workspace_id, id),
  constraint decision_checked_by_fkey FOREIGN KEY (checked_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint decision_created_by_fkey FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint decision_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint decision_workspace_id_knowledge_hash_fkey FOREIGN KEY (workspace_id, knowledge_hash) REFERENCES bot_knowledge(workspace_id, hash),
  constraint decision_workspace_id_message_id_fkey FOREIGN KEY (workspace_id, message_id) REFERENCES message(workspace_id, id) ON DELETE CASCADE,
  constraint decision_workspace_id_thread_id_fkey FOREIGN KEY (workspace_id, thread_id) REFERENCES thread(workspace_id, id) ON DELETE CASCADE,
  constraint decision_check CHECK (((state = 'DONE'::text) = (ended_at IS NOT NULL))),
  constraint decision_check1 CHECK ((((state = 'DONE'::text) = (verdict IS NOT NULL)) OR (state = 'SENDING'::text))),
  constraint decision_check2 CHECK (((kind = 'simulate'::text) = (thread_id IS NULL))),
  constraint decision_check3 CHECK (((check_flag IS NULL) OR (checked_at IS NOT NULL))),
  constraint decision_check_flag_check CHECK ((check_flag = ANY (ARRAY['wrong'::text, 'unsafe'::text, 'off-brand'::text]))),
  constraint decision_kind_check CHECK ((kind = ANY (ARRAY['bot'::text, 'suggest'::text, 'simulate'::text]))),
  constraint decision_state_check CHECK ((state = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text, 'WAITING'::text, 'SENDING'::text, 'DONE'::text]))),
  constraint decision_verdict_check CHECK ((verdict = ANY (ARRAY['SENT'::text, 'IGNORED'::text, 'QUIET'::text, 'ESCALATED'::text, 'HELD'::text, 'SUPERSEDED'::text, 'EXPIRED'::text])))
);
CREATE INDEX decision_checked ON public.decision USING btree (workspace_id, checked_at) WHERE (checked_at IS NOT NULL);
CREATE INDEX decision_checker ON public.decision USING btree (checked_by) WHERE (checked_by IS NOT NULL);
CREATE INDEX decision_ended ON public.decision USING btree (workspace_id, ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX decision_kept ON public.decision USING btree (ended_at) WHERE ((ended_at IS NOT NULL) AND (erased_at IS NULL));
CREATE INDEX decision_knowledge ON public.decision USING btree (workspace_id, knowledge_hash) WHERE (knowledge_hash IS NOT NULL);
CREATE UNIQUE INDEX decision_message ON public.decision USING btree (workspace_id, message_id, revision) WHERE (kind = 'bot'::text);
CREATE INDEX decision_of_message ON public.decision USING btree (workspace_id, message_id) WHERE (message_id IS NOT NULL);
CREATE INDEX decision_open ON public.decision USING btree (workspace_id, state) WHERE (state <> 'DONE'::text);
CREATE INDEX decision_person ON public.decision USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE INDEX decision_run ON public.decision USING btree (workspace_id, run_id, place) WHERE (run_id IS NOT NULL);
CREATE INDEX decision_thread ON public.decision USING btree (workspace_id, thread_id, id) WHERE (thread_id IS NOT NULL);
CREATE INDEX decision_to_check ON public.decision USING btree (workspace_id, id) WHERE ((kind = 'bot'::text) AND (verdict = 'SENT'::text) AND (reply IS NOT NULL) AND (get_byte(sha256(uuid_send(id)), 0) < 13) AND (checked_at IS NULL));
CREATE INDEX decision_turns ON public.decision USING btree (workspace_id, rank, id) WHERE (state = ANY (ARRAY['QUEUED'::text, 'WAITING'::text]));
alter table decision alter workspace_id set (n_distinct=-0.001);
alter table decision enable row level security;
alter table decision force row level security;
create policy across_parley_across on decision for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on decision for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on decision for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on decision to parley_app;
grant delete, select on decision to parley_eraser;
grant select (workspace_id, id, state, knowledge_hash, ended_at, erased_at) on decision to parley_across;
grant update (facts, knowledge_hash, reply, sources, erased_at) on decision to parley_across;

create table delivery (
  workspace_id uuid not null,
  id uuid not null,
  post_id uuid,
  account_id uuid not null,
  position integer not null,
  state text not null default 'PENDING'::text,
  phase text,
  dropped_at timestamp with time zone,
  fence integer not null default 0,
  tries integer not null default 0,
  failures integer not null default 0,
  backoffs integer not null default 0,
  due_at timestamp with time zone,
  next_at timestamp with time zone,
  turn timestamp with time zone,
  lease_until timestamp with time zone,
  intent_at timestamp with time zone,
  absent_reads integer not null default 0,
  absent_at timestamp with time zone,
  late_reads integer not null default 0,
  late_read_at timestamp with time zone,
  wait_reason text,
  handles jsonb not null default '{}'::jsonb,
  composed text,
  sent jsonb,
  external_id text,
  permalink text,
  published_at timestamp with time zone,
  error jsonb,
  updated_at timestamp with time zone not null default app_now(),
  accepted_at timestamp with time zone,
  unread_since timestamp with time zone,
  first_intent_at timestamp with time zone,
  text_key text,
  network_at timestamp with time zone,
  limited_until timestamp with time zone,
  unproven boolean not null default false,
  delay_told_at timestamp with time zone,
  kind text not null default 'post'::text,
  after_id uuid,
  content jsonb,
  thread_id uuid,
  message_id uuid,
  constraint delivery_pkey PRIMARY KEY (workspace_id, id),
  constraint delivery_workspace_id_account_id_external_id_key UNIQUE (workspace_id, account_id, external_id),
  constraint delivery_workspace_id_post_id_account_id_kind_key UNIQUE (workspace_id, post_id, account_id, kind),
  constraint delivery_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id),
  constraint delivery_workspace_id_after_id_fkey FOREIGN KEY (workspace_id, after_id) REFERENCES delivery(workspace_id, id) ON DELETE CASCADE,
  constraint delivery_workspace_id_message_id_fkey FOREIGN KEY (workspace_id, message_id) REFERENCES message(workspace_id, id) ON DELETE CASCADE,
  constraint delivery_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES post(workspace_id, id),
  constraint delivery_workspace_id_thread_id_fkey FOREIGN KEY (workspace_id, thread_id) REFERENCES thread(workspace_id, id) ON DELETE CASCADE,
  constraint delivery_after_check CHECK (((kind = ANY (ARRAY['comment'::text, 'remove'::text])) = (after_id IS NOT NULL))),
  constraint delivery_check1 CHECK (((kind = 'post'::text) = (content IS NULL))),
  constraint delivery_check2 CHECK (((state <> ALL (ARRAY['PUBLISHED'::text, 'FAILED'::text, 'UNCONFIRMED'::text])) OR ((next_at IS NULL) AND (turn IS NULL) AND (lease_until IS NULL)))),
  constraint delivery_check3 CHECK (((state = 'SUBMITTING'::text) = (phase IS NOT NULL))),
  constraint delivery_check4 CHECK (((state <> 'PUBLISHED'::text) OR (external_id IS NOT NULL) OR (permalink IS NOT NULL) OR (published_at IS NOT NULL))),
  constraint delivery_kind_check CHECK ((kind = ANY (ARRAY['post'::text, 'comment'::text, 'remove'::text, 'reply'::text, 'private_reply'::text, 'dm'::text, 'hide'::text]))),
  constraint delivery_phase_check CHECK ((phase = ANY (ARRAY['commit'::text, 'confirm'::text]))),
  constraint delivery_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'PREPARING'::text, 'SUBMITTING'::text, 'PUBLISHED'::text, 'FAILED'::text, 'UNCONFIRMED'::text]))),
  constraint delivery_subject_check CHECK ((((post_id IS NULL) = (thread_id IS NOT NULL)) AND ((thread_id IS NULL) = (message_id IS NULL)) AND ((thread_id IS NOT NULL) = (kind = ANY (ARRAY['reply'::text, 'private_reply'::text, 'dm'::text, 'hide'::text])))))
);
CREATE INDEX delivery_after ON public.delivery USING btree (workspace_id, after_id) WHERE (after_id IS NOT NULL);
CREATE INDEX delivery_due ON public.delivery USING btree (next_at) WHERE ((turn IS NULL) AND (next_at IS NOT NULL));
CREATE INDEX delivery_error ON public.delivery USING btree (workspace_id, post_id) WHERE (error IS NOT NULL);
CREATE INDEX delivery_failed ON public.delivery USING btree (kind, id) WHERE (state = ANY (ARRAY['FAILED'::text, 'UNCONFIRMED'::text]));
CREATE INDEX delivery_live ON public.delivery USING btree (published_at) WHERE ((kind = 'post'::text) AND (state = 'PUBLISHED'::text) AND (external_id IS NOT NULL) AND (dropped_at IS NULL));
CREATE UNIQUE INDEX delivery_message ON public.delivery USING btree (workspace_id, message_id) WHERE (message_id IS NOT NULL);
CREATE INDEX delivery_open_comment ON public.delivery USING btree (workspace_id) WHERE ((kind <> 'post'::text) AND (state = ANY (ARRAY['PENDING'::text, 'PREPARING'::text, 'SUBMITTING'::text])));
CREATE UNIQUE INDEX delivery_private_reply ON public.delivery USING btree (workspace_id, account_id, ((content ->> 'commentId'::text))) WHERE ((kind = 'private_reply'::text) AND (state <> 'FAILED'::text));
CREATE INDEX delivery_text ON public.delivery USING btree (workspace_id, account_id, text_key) WHERE ((text_key IS NOT NULL) AND ((due_at IS NOT NULL) OR (state = ANY (ARRAY['PUBLISHED'::text, 'UNCONFIRMED'::text]))));
CREATE INDEX delivery_thread ON public.delivery USING btree (workspace_id, thread_id, kind) WHERE (thread_id IS NOT NULL);
CREATE INDEX delivery_turn ON public.delivery USING btree (turn) WHERE (turn IS NOT NULL);
CREATE INDEX delivery_workspace_turn ON public.delivery USING btree (workspace_id, turn) WHERE (turn IS NOT NULL);
alter table delivery alter workspace_id set (n_distinct=-0.001);
alter table delivery alter state set (n_distinct=6);
alter table delivery enable row level security;
alter table delivery force row level security;
create policy across_parley_across on delivery for all to parley_across
  using (true)
  with check (true);
create policy across_parley_admin on delivery for all to parley_admin
  using (true)
  with check (true);
create policy across_parley_eraser on delivery for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on delivery for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select, update on delivery to parley_across;
grant delete, insert, select, update on delivery to parley_app;
grant delete, select on delivery to parley_eraser;
grant select (workspace_id, id, post_id, state, dropped_at, tries, due_at, error, updated_at, kind) on delivery to parley_admin;

create table draft_reply (
  workspace_id uuid not null,
  id uuid not null,
  decision_id uuid not null,
  thread_id uuid not null,
  message_id uuid not null,
  revision integer not null,
  state text not null default 'PENDING_REVIEW'::text,
  text text not null,
  sent_text text,
  reason text not null,
  confidence double precision not null,
  parts jsonb not null,
  threshold double precision not null,
  sources jsonb not null default '[]'::jsonb,
  vetoes text[] not null default '{}'::text[],
  privately boolean not null default false,
  expires_at timestamp with time zone,
  flag_reason text,
  flag_note text,
  decided_by uuid,
  decided_at timestamp with time zone,
  created_at timestamp with time zone not null default app_now(),
  constraint draft_reply_pkey PRIMARY KEY (workspace_id, id),
  constraint draft_reply_workspace_id_decision_id_key UNIQUE (workspace_id, decision_id),
  constraint draft_reply_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint draft_reply_workspace_id_decision_id_fkey FOREIGN KEY (workspace_id, decision_id) REFERENCES decision(workspace_id, id) ON DELETE CASCADE,
  constraint draft_reply_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint draft_reply_workspace_id_message_id_fkey FOREIGN KEY (workspace_id, message_id) REFERENCES message(workspace_id, id) ON DELETE CASCADE,
  constraint draft_reply_workspace_id_thread_id_fkey FOREIGN KEY (workspace_id, thread_id) REFERENCES thread(workspace_id, id) ON DELETE CASCADE,
  constraint draft_reply_check CHECK (((state = 'FLAGGED'::text) = (flag_reason IS NOT NULL))),
  constraint draft_reply_check1 CHECK (((state = 'PENDING_REVIEW'::text) = (decided_at IS NULL))),
  constraint draft_reply_flag_reason_check CHECK ((flag_reason = ANY (ARRAY['wrong'::text, 'unsafe'::text, 'off-brand'::text]))),
  constraint draft_reply_state_check CHECK ((state = ANY (ARRAY['PENDING_REVIEW'::text, 'APPROVED'::text, 'FLAGGED'::text, 'SUPERSEDED'::text, 'EXPIRED'::text])))
);
CREATE INDEX draft_reply_expiring ON public.draft_reply USING btree (workspace_id, expires_at) WHERE (state = 'PENDING_REVIEW'::text);
CREATE INDEX draft_reply_message ON public.draft_reply USING btree (workspace_id, message_id);
CREATE INDEX draft_reply_person ON public.draft_reply USING btree (decided_by) WHERE (decided_by IS NOT NULL);
CREATE INDEX draft_reply_state ON public.draft_reply USING btree (workspace_id, state, id);
CREATE INDEX draft_reply_thread ON public.draft_reply USING btree (workspace_id, thread_id, id);
CREATE UNIQUE INDEX draft_reply_waiting ON public.draft_reply USING btree (workspace_id, thread_id) WHERE (state = 'PENDING_REVIEW'::text);
alter table draft_reply enable row level security;
alter table draft_reply force row level security;
create policy across_parley_eraser on draft_reply for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on draft_reply for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on draft_reply to parley_app;
grant delete, select on draft_reply to parley_eraser;

create table engagement_prediction (
  workspace_id uuid not null,
  post_id uuid not null,
  account_id uuid not null,
  version integer not null,
  low bigint not null,
  middle bigint not null,
  high bigint not null,
  usual bigint not null,
  n integer not null,
  percentile integer not null,
  reasons jsonb not null,
  made_at timestamp with time zone not null,
  constraint engagement_prediction_pkey PRIMARY KEY (workspace_id, post_id, account_id, version),
  constraint engagement_prediction_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id),
  constraint engagement_prediction_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES post(workspace_id, id),
  constraint engagement_prediction_check CHECK (((low <= middle) AND (middle <= high))),
  constraint engagement_prediction_percentile_check CHECK (((percentile >= 0) AND (percentile <= 100)))
);
CREATE INDEX engagement_prediction_account ON public.engagement_prediction USING btree (workspace_id, account_id);
alter table engagement_prediction enable row level security;
alter table engagement_prediction force row level security;
create policy across_parley_eraser on engagement_prediction for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on engagement_prediction for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select on engagement_prediction to parley_app;
grant delete, select on engagement_prediction to parley_eraser;

create table erased_person (
  workspace_id uuid not null,
  account_id uuid not null,
  hash text not null,
  at timestamp with time zone not null,
  constraint erased_person_pkey PRIMARY KEY (workspace_id, account_id, hash),
  constraint erased_person_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id)
);
CREATE INDEX erased_person_at ON public.erased_person USING btree (at);
alter table erased_person enable row level security;
alter table erased_person force row level security;
create policy across_parley_across on erased_person for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on erased_person for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on erased_person for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, select on erased_person to parley_across;
grant insert, select, update on erased_person to parley_app;
grant delete, select on erased_person to parley_eraser;

create table escalation_rule (
  workspace_id uuid not null,
  id uuid not null,
  position integer not null,
  keywords text[] not null default '{}'::text[],
  intents text[] not null default '{}'::text[],
  urgency text,
  sentiment text,
  assign_to_role text,
  notify_roles text[] not null default '{}'::text[],
  version integer not null default 1,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  constraint escalation_rule_pkey PRIMARY KEY (workspace_id, id),
  constraint escalation_rule_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint escalation_rule_assign_to_role_check CHECK ((assign_to_role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'EDITOR'::text]))),
  constraint escalation_rule_sentiment_check CHECK ((sentiment = ANY (ARRAY['positive'::text, 'neutral'::text, 'negative'::text]))),
  constraint escalation_rule_urgency_check CHECK ((urgency = ANY (ARRAY['LOW'::text, 'MEDIUM'::text, 'HIGH'::text, 'CRITICAL'::text])))
);
alter table escalation_rule enable row level security;
alter table escalation_rule force row level security;
create policy across_parley_eraser on escalation_rule for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on escalation_rule for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on escalation_rule to parley_app;
grant delete, select on escalation_rule to parley_eraser;

create table exposure (
  workspace_id uuid not null,
  experiment_id uuid not null,
  identity_id uuid not null,
  variant text not null,
  drafted_at timestamp with time zone not null,
  served_at timestamp with time zone,
  converted_at timestamp with time zone,
  constraint exposure_pkey PRIMARY KEY (workspace_id, experiment_id, identity_id),
  constraint exposure_workspace_id_experiment_id_fkey FOREIGN KEY (workspace_id, experiment_id) REFERENCES reply_experiment(workspace_id, id) ON DELETE CASCADE,
  constraint exposure_workspace_id_identity_id_fkey FOREIGN KEY (workspace_id, identity_id) REFERENCES audience_identity(workspace_id, id),
  constraint exposure_variant_check CHECK ((variant = ANY (ARRAY['A'::text, 'B'::text])))
);
CREATE INDEX exposure_identity ON public.exposure USING btree (workspace_id, identity_id);
alter table exposure enable row level security;
alter table exposure force row level security;
create policy across_parley_eraser on exposure for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on exposure for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on exposure to parley_app;
grant delete, select on exposure to parley_eraser;

create table feature (
  id text not null,
  constraint feature_pkey PRIMARY KEY (id)
);
grant select on feature to parley_across;
grant select on feature to parley_admin;
grant select on feature to parley_app;
grant select on feature to parley_gate;

create table idempotency_key (
  key_hash text not null,
  user_id uuid not null,
  body_hash text not null,
  claim uuid not null,
  claimed_until timestamp with time zone not null,
  done_at timestamp with time zone,
  status integer,
  headers jsonb,
  body text,
  expires_at timestamp with time zone not null,
  holder text,
  constraint idempotency_key_pkey PRIMARY KEY (key_hash),
  constraint idempotency_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX idempotency_key_expired ON public.idempotency_key USING btree (expires_at);
grant delete, insert, select, update on idempotency_key to parley_app;
grant select (key_hash, claim, done_at) on idempotency_key to parley_admin;
grant update (done_at, status, headers, body) on idempotency_key to parley_admin;

create table inbound_event (
  workspace_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  key text not null,
  at timestamp with time zone not null,
  event jsonb not null,
  via text not null,
  received_at timestamp with time zone not null default app_now(),
  done_at timestamp with time zone,
  failures integer not null default 0,
  error text,
  about text,
  waits boolean not null default false,
  retry_at timestamp with time zone,
  text_of text generated always as (
CASE
    WHEN (event ? 'text'::text) THEN (event ->> 'id'::text)
    ELSE NULL::text
END) stored,
  constraint inbound_event_pkey PRIMARY KEY (workspace_id, id),
  constraint inbound_event_workspace_id_account_id_key_key UNIQUE (workspace_id, account_id, key),
  constraint inbound_event_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id),
  constraint inbound_event_via_check CHECK ((via = ANY (ARRAY['webhook'::text, 'read'::text])))
);
CREATE INDEX inbound_event_failed ON public.inbound_event USING btree (workspace_id) WHERE ((done_at IS NULL) AND (failures >= 5));
CREATE INDEX inbound_event_open ON public.inbound_event USING btree (workspace_id, account_id, at) WHERE ((done_at IS NULL) AND (failures < 5) AND (NOT waits));
CREATE INDEX inbound_event_received ON public.inbound_event USING btree (received_at);
CREATE INDEX inbound_event_texts ON public.inbound_event USING btree (workspace_id, account_id, text_of) WHERE (text_of IS NOT NULL);
CREATE INDEX inbound_event_waiting ON public.inbound_event USING btree (workspace_id, account_id, about) WHERE waits;
alter table inbound_event alter workspace_id set (n_distinct=-0.001);
alter table inbound_event enable row level security;
alter table inbound_event force row level security;
create policy across_parley_across on inbound_event for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on inbound_event for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on inbound_event for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select on inbound_event to parley_across;
grant delete, insert, select, update on inbound_event to parley_app;
grant delete, select on inbound_event to parley_eraser;

create table inbox_alive (
  singleton boolean not null default true,
  at timestamp with time zone not null,
  constraint inbox_alive_pkey PRIMARY KEY (singleton),
  constraint inbox_alive_singleton_check CHECK (singleton)
);
grant insert, select, update on inbox_alive to parley_across;

create table inbox_reading (
  workspace_id uuid not null,
  account_id uuid not null,
  read_at timestamp with time zone not null,
  comment_counts jsonb,
  underway_until timestamp with time zone,
  constraint inbox_reading_pkey PRIMARY KEY (workspace_id, account_id),
  constraint inbox_reading_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id)
);
alter table inbox_reading enable row level security;
alter table inbox_reading force row level security;
create policy across_parley_across on inbox_reading for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on inbox_reading for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on inbox_reading for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on inbox_reading to parley_across;
grant insert, select, update on inbox_reading to parley_app;
grant delete, select on inbox_reading to parley_eraser;

create table label (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  color text not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  constraint label_pkey PRIMARY KEY (workspace_id, id),
  constraint label_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint label_color_check CHECK ((color = ANY (ARRAY['gray'::text, 'red'::text, 'orange'::text, 'yellow'::text, 'green'::text, 'teal'::text, 'blue'::text, 'purple'::text, 'pink'::text])))
);
CREATE UNIQUE INDEX label_name ON public.label USING btree (workspace_id, lower(name));
alter table label enable row level security;
alter table label force row level security;
create policy across_parley_eraser on label for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on label for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on label to parley_app;
grant delete, select on label to parley_eraser;

create table measured_post (
  workspace_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  delivery_id uuid,
  external_id text not null,
  kind text not null,
  caption text not null,
  permalink text,
  published_at timestamp with time zone not null,
  reach bigint,
  impressions bigint,
  likes bigint,
  comments bigint,
  shares bigint,
  saves bigint,
  video_views bigint,
  engagement bigint generated always as (
CASE
    WHEN (COALESCE(likes, comments, shares, saves) IS NOT NULL) THEN (((COALESCE(likes, (0)::bigint) + COALESCE(comments, (0)::bigint)) + COALESCE(shares, (0)::bigint)) + COALESCE(saves, (0)::bigint))
    ELSE NULL::bigint
END) stored,
  known_at jsonb not null default '{}'::jsonb,
  read_at timestamp with time zone,
  next_read_at timestamp with time zone,
  missing_at timestamp with time zone,
  gone_at timestamp with time zone,
  unmeasurable boolean not null default false,
  topic text,
  format text,
  tone text,
  constraint measured_post_pkey PRIMARY KEY (workspace_id, id),
  constraint measured_post_workspace_id_account_id_external_id_key UNIQUE (workspace_id, account_id, external_id),
  constraint measured_post_workspace_id_delivery_id_key UNIQUE (workspace_id, delivery_id),
  constraint measured_post_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id),
  constraint measured_post_workspace_id_delivery_id_fkey FOREIGN KEY (workspace_id, delivery_id) REFERENCES delivery(workspace_id, id) ON DELETE SET NULL (delivery_id),
  constraint measured_post_kind_check CHECK ((kind = ANY (ARRAY['post'::text, 'reel'::text, 'story'::text, 'pictures'::text])))
);
CREATE INDEX measured_post_next ON public.measured_post USING btree (workspace_id, account_id, next_read_at) WHERE (next_read_at IS NOT NULL);
CREATE INDEX measured_post_published ON public.measured_post USING btree (workspace_id, account_id, published_at);
CREATE INDEX measured_post_untagged ON public.measured_post USING btree (workspace_id) WHERE ((topic IS NULL) AND (delivery_id IS NULL) AND (caption <> ''::text) AND (gone_at IS NULL));
alter table measured_post enable row level security;
alter table measured_post force row level security;
create policy across_parley_across on measured_post for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on measured_post for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on measured_post for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on measured_post to parley_across;
grant insert, select, update on measured_post to parley_app;
grant delete, select on measured_post to parley_eraser;

create table media_crop (
  workspace_id uuid not null,
  media_file_id uuid not null,
  platform text not null,
  area jsonb not null,
  storage_key text,
  file_size bigint,
  width integer,
  height integer,
  wanted_at timestamp with time zone not null default app_now(),
  constraint media_crop_pkey PRIMARY KEY (workspace_id, media_file_id, platform, area),
  constraint media_crop_workspace_id_media_file_id_fkey FOREIGN KEY (workspace_id, media_file_id) REFERENCES media_file(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX media_crop_key ON public.media_crop USING btree (storage_key);
CREATE UNIQUE INDEX media_crop_storage_key ON public.media_crop USING btree (workspace_id, storage_key);
CREATE INDEX media_crop_wanted ON public.media_crop USING btree (wanted_at);
alter table media_crop enable row level security;
alter table media_crop force row level security;
create policy across_parley_across on media_crop for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on media_crop for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on media_crop for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, select on media_crop to parley_across;
grant delete, insert, select, update on media_crop to parley_app;
grant delete, select on media_crop to parley_eraser;

create table media_file (
  workspace_id uuid not null,
  id uuid not null,
  kind text not null,
  state text not null,
  rejected_reason text,
  file_name text not null,
  mime_type text not null,
  file_size bigint not null,
  width integer,
  height integer,
  duration double precision,
  original_key text not null,
  original_size bigint not null,
  storage_key text,
  thumbnail_key text,
  alt_text text not null default ''::text,
  tags text[] not null default '{}'::text[],
  version integer not null default 1,
  created_by uuid,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  codec text,
  frame_rate double precision,
  deleted_at timestamp with time zone,
  ai_generated boolean not null default false,
  rejected_code text,
  constraint media_file_pkey PRIMARY KEY (workspace_id, id),
  constraint media_file_created_by_fkey FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint media_file_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint media_file_check CHECK (((state = 'REJECTED'::text) = (rejected_reason IS NOT NULL))),
  constraint media_file_check1 CHECK (((state <> 'READY'::text) OR (storage_key IS NOT NULL))),
  constraint media_file_check2 CHECK (((deleted_at IS NULL) OR (state = 'REJECTED'::text))),
  constraint media_file_check3 CHECK (((state = 'REJECTED'::text) = (rejected_code IS NOT NULL))),
  constraint media_file_kind_check CHECK ((kind = ANY (ARRAY['IMAGE'::text, 'VIDEO'::text]))),
  constraint media_file_state_check CHECK ((state = ANY (ARRAY['PROCESSING'::text, 'READY'::text, 'REJECTED'::text])))
);
CREATE INDEX media_file_original ON public.media_file USING btree (original_key);
CREATE INDEX media_file_served ON public.media_file USING btree (storage_key);
CREATE UNIQUE INDEX media_file_storage_key ON public.media_file USING btree (workspace_id, storage_key);
CREATE INDEX media_file_thumbnail ON public.media_file USING btree (thumbnail_key);
alter table media_file alter workspace_id set (n_distinct=-0.001);
alter table media_file enable row level security;
alter table media_file force row level security;
create policy across_parley_across on media_file for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on media_file for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on media_file for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on media_file to parley_across;
grant delete, insert, select, update on media_file to parley_app;
grant delete, select on media_file to parley_eraser;

create table media_rendition (
  workspace_id uuid not null,
  media_file_id uuid not null,
  platform text not null,
  storage_key text not null,
  mime_type text not null,
  file_size bigint not null,
  width integer not null,
  height integer not null,
  created_at timestamp with time zone not null default app_now(),
  constraint media_rendition_pkey PRIMARY KEY (workspace_id, media_file_id, platform),
  constraint media_rendition_workspace_id_media_file_id_fkey FOREIGN KEY (workspace_id, media_file_id) REFERENCES media_file(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX media_rendition_key ON public.media_rendition USING btree (storage_key);
CREATE UNIQUE INDEX media_rendition_storage_key ON public.media_rendition USING btree (workspace_id, storage_key);
alter table media_rendition enable row level security;
alter table media_rendition force row level security;
create policy across_parley_across on media_rendition for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on media_rendition for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on media_rendition for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on media_rendition to parley_across;
grant delete, insert, select, update on media_rendition to parley_app;
grant delete, select on media_rendition to parley_eraser;

create table media_upload (
  workspace_id uuid not null,
  id uuid not null,
  created_by uuid not null,
  file_name text not null,
  declared_type text not null,
  size bigint not null,
  media_file_id uuid,
  created_at timestamp with time zone not null default app_now(),
  expires_at timestamp with time zone not null,
  constraint media_upload_pkey PRIMARY KEY (workspace_id, id),
  constraint media_upload_created_by_fkey FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint media_upload_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint media_upload_workspace_id_media_file_id_fkey FOREIGN KEY (workspace_id, media_file_id) REFERENCES media_file(workspace_id, id) ON DELETE CASCADE,
  constraint media_upload_size_check CHECK ((size > 0))
);
CREATE INDEX media_upload_expires ON public.media_upload USING btree (expires_at);
CREATE INDEX media_upload_file ON public.media_upload USING btree (workspace_id, media_file_id);
CREATE INDEX media_upload_of ON public.media_upload USING btree (workspace_id, created_by);
alter table media_upload enable row level security;
alter table media_upload force row level security;
create policy across_parley_across on media_upload for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on media_upload for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on media_upload for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, select on media_upload to parley_across;
grant delete, insert, select, update on media_upload to parley_app;
grant delete, select on media_upload to parley_eraser;

create table member (
  workspace_id uuid not null,
  user_id uuid not null,
  role text not null,
  joined_at timestamp with time zone not null default app_now(),
  constraint member_pkey PRIMARY KEY (workspace_id, user_id),
  constraint member_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint member_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint member_role_check CHECK ((role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'EDITOR'::text, 'VIEWER'::text, 'CLIENT'::text])))
);
CREATE UNIQUE INDEX member_one_owner ON public.member USING btree (workspace_id) WHERE (role = 'OWNER'::text);
CREATE INDEX member_user ON public.member USING btree (user_id);
CREATE TRIGGER review_links_end AFTER DELETE ON public.member FOR EACH ROW EXECUTE FUNCTION end_review_links();
CREATE TRIGGER review_links_end_with_role AFTER UPDATE ON public.member FOR EACH ROW WHEN (((old.role <> new.role) AND (new.role = ANY (ARRAY['VIEWER'::text, 'CLIENT'::text])))) EXECUTE FUNCTION end_review_links();
CREATE TRIGGER standing BEFORE UPDATE ON public.member FOR EACH ROW WHEN ((old.role IS DISTINCT FROM new.role)) EXECUTE FUNCTION lock_membership();
CREATE TRIGGER standing_end BEFORE DELETE ON public.member FOR EACH ROW EXECUTE FUNCTION lock_membership();
alter table member enable row level security;
alter table member force row level security;
create policy across_parley_admin on member for all to parley_admin
  using (true)
  with check (true);
create policy across_parley_eraser on member for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on member for all to parley_gate
  using (true)
  with check (true);
create policy tenant on member for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on member to parley_app;
grant delete, select on member to parley_eraser;
grant select on member to parley_gate;
grant select (workspace_id, user_id, role) on member to parley_admin;

create table memory (
  workspace_id uuid not null,
  id uuid not null,
  scope text not null,
  owner uuid not null,
  key text not null,
  value text not null,
  confidence double precision not null default 0.5,
  hit_count integer not null default 0,
  from_message uuid,
  valid_until timestamp with time zone,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null default app_now(),
  constraint memory_pkey PRIMARY KEY (workspace_id, id),
  constraint memory_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint memory_workspace_id_from_message_fkey FOREIGN KEY (workspace_id, from_message) REFERENCES message(workspace_id, id) ON DELETE SET NULL (from_message),
  constraint memory_key_check CHECK ((key = ANY (ARRAY['first_name'::text, 'size'::text, 'interest'::text, 'order'::text, 'complaint'::text]))),
  constraint memory_scope_check CHECK ((scope = ANY (ARRAY['thread'::text, 'customer'::text, 'audience'::text]))),
  constraint memory_value_check CHECK ((length(value) <= 200))
);
CREATE INDEX memory_message ON public.memory USING btree (workspace_id, from_message) WHERE (from_message IS NOT NULL);
CREATE UNIQUE INDEX memory_valid ON public.memory USING btree (workspace_id, scope, owner, key) WHERE (valid_until IS NULL);
alter table memory enable row level security;
alter table memory force row level security;
create policy across_parley_eraser on memory for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on memory for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on memory to parley_app;
grant delete, select on memory to parley_eraser;

create table message (
  workspace_id uuid not null,
  id uuid not null,
  thread_id uuid not null,
  account_id uuid not null,
  kind text not null,
  direction text not null,
  source text not null,
  author uuid,
  text text,
  parent_id uuid,
  external_id text,
  at timestamp with time zone not null,
  edit_number integer not null default 0,
  edited_at timestamp with time zone,
  removed_at timestamp with time zone,
  hidden_at timestamp with time zone,
  hide_at timestamp with time zone,
  reaction text,
  reaction_at timestamp with time zone,
  tsv tsvector generated always as ((to_tsvector('simple'::regconfig, COALESCE(text, ''::text)) || array_to_tsvector(ARRAY[('w:'::text || (workspace_id)::text)]))) stored,
  decision_id uuid,
  is_intended boolean not null default true,
  is_praise boolean not null default false,
  constraint message_pkey PRIMARY KEY (workspace_id, id),
  constraint message_workspace_id_account_id_external_id_key UNIQUE (workspace_id, account_id, external_id),
  constraint message_author_fkey FOREIGN KEY (author) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint message_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id),
  constraint message_workspace_id_decision_id_fkey FOREIGN KEY (workspace_id, decision_id) REFERENCES decision(workspace_id, id) ON DELETE SET NULL (decision_id),
  constraint message_workspace_id_parent_id_fkey FOREIGN KEY (workspace_id, parent_id) REFERENCES message(workspace_id, id) ON DELETE CASCADE,
  constraint message_workspace_id_thread_id_fkey FOREIGN KEY (workspace_id, thread_id) REFERENCES thread(workspace_id, id) ON DELETE CASCADE,
  constraint message_check CHECK (((kind = 'NOTE'::text) = (direction = 'INTERNAL'::text))),
  constraint message_direction_check CHECK ((direction = ANY (ARRAY['IN'::text, 'OUT'::text, 'INTERNAL'::text]))),
  constraint message_kind_check CHECK ((kind = ANY (ARRAY['COMMENT'::text, 'PRIVATE_REPLY'::text, 'DM'::text, 'NOTE'::text]))),
  constraint message_source_check CHECK ((source = ANY (ARRAY['CUSTOMER'::text, 'BOT_AUTO'::text, 'BOT_SUGGESTED'::text, 'AGENT_MANUAL'::text, 'SYSTEM'::text])))
);
CREATE INDEX message_author ON public.message USING btree (author) WHERE (author IS NOT NULL);
CREATE INDEX message_decision ON public.message USING btree (workspace_id, decision_id) WHERE (decision_id IS NOT NULL);
CREATE INDEX message_parent ON public.message USING btree (workspace_id, parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX message_terms ON public.message USING gin (message_terms(workspace_id, tsv));
CREATE INDEX message_thread ON public.message USING btree (workspace_id, thread_id, at DESC, id DESC);
alter table message alter workspace_id set (n_distinct=-0.001);
alter table message enable row level security;
alter table message force row level security;
create policy across_parley_across on message for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on message for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on message for all to parley_gate
  using (true)
  with check (true);
create policy tenant on message for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on message to parley_across;
grant delete, insert, select, update on message to parley_app;
grant delete, select on message to parley_eraser;
grant select on message to parley_gate;

create table message_attachment (
  workspace_id uuid not null,
  id uuid not null,
  message_id uuid not null,
  position integer not null,
  type text not null,
  url text,
  media_file_id uuid,
  state text not null default 'LINK'::text,
  storage_key text,
  content_type text,
  size bigint,
  constraint message_attachment_pkey PRIMARY KEY (workspace_id, id),
  constraint message_attachment_workspace_id_message_id_position_key UNIQUE (workspace_id, message_id, "position"),
  constraint message_attachment_workspace_id_media_file_id_fkey FOREIGN KEY (workspace_id, media_file_id) REFERENCES media_file(workspace_id, id) ON DELETE SET NULL (media_file_id),
  constraint message_attachment_workspace_id_message_id_fkey FOREIGN KEY (workspace_id, message_id) REFERENCES message(workspace_id, id) ON DELETE CASCADE,
  constraint message_attachment_state_check CHECK ((state = ANY (ARRAY['LINK'::text, 'KEPT'::text, 'TOO_LARGE'::text, 'GONE'::text, 'SKIPPED'::text])))
);
CREATE INDEX message_attachment_media ON public.message_attachment USING btree (workspace_id, media_file_id) WHERE (media_file_id IS NOT NULL);
CREATE INDEX message_attachment_storage ON public.message_attachment USING btree (storage_key) WHERE (storage_key IS NOT NULL);
alter table message_attachment enable row level security;
alter table message_attachment force row level security;
create policy across_parley_across on message_attachment for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on message_attachment for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on message_attachment for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on message_attachment to parley_across;
grant delete, insert, select, update on message_attachment to parley_app;
grant delete, select on message_attachment to parley_eraser;

create table metric_gone (
  app text not null,
  version text not null,
  kind text not null,
  metric text not null,
  since timestamp with time zone not null default app_now(),
  constraint metric_gone_pkey PRIMARY KEY (app, version, kind, metric)
);
grant insert, select, update on metric_gone to parley_across;

create table migration (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migration_pkey PRIMARY KEY (name)
);

create table network_call (
  app text not null,
  user_key text not null,
  minute timestamp with time zone not null,
  calls integer not null,
  constraint network_call_pkey PRIMARY KEY (app, user_key, minute),
  constraint network_call_app_user_key_fkey FOREIGN KEY (app, user_key) REFERENCES network_user(app, user_key)
);
grant delete, insert, select, update on network_call to parley_across;

create table network_user (
  app text not null,
  user_key text not null,
  blocked_until timestamp with time zone,
  usage_limit integer,
  usage_limit_until timestamp with time zone,
  constraint network_user_pkey PRIMARY KEY (app, user_key)
);
grant insert, select, update on network_user to parley_across;

create table notification (
  user_id uuid not null,
  id uuid not null,
  workspace_id uuid,
  kind text not null,
  data jsonb not null default '{}'::jsonb,
  in_app boolean not null default true,
  mail_at timestamp with time zone,
  mailed_at timestamp with time zone,
  read_at timestamp with time zone,
  created_at timestamp with time zone not null default app_now(),
  constraint notification_pkey PRIMARY KEY (user_id, id),
  constraint notification_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint notification_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX notification_over ON public.notification USING btree (COALESCE(read_at, created_at)) WHERE ((read_at IS NOT NULL) OR (NOT in_app));
CREATE INDEX notification_unread ON public.notification USING btree (user_id, id DESC) WHERE (in_app AND (read_at IS NULL));
CREATE INDEX notification_workspace ON public.notification USING btree (workspace_id) WHERE (workspace_id IS NOT NULL);
grant delete, insert, select, update on notification to parley_app;
grant delete, select on notification to parley_eraser;

create table notification_preference (
  user_id uuid not null,
  kind text not null,
  in_app boolean not null,
  mail boolean not null,
  constraint notification_preference_pkey PRIMARY KEY (user_id, kind),
  constraint notification_preference_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
grant delete, insert, select, update on notification_preference to parley_app;

create table oauth_state (
  state_hash text not null,
  browser_hash text not null,
  provider text not null,
  user_id uuid,
  workspace_id uuid,
  redirect text not null,
  expires_at timestamp with time zone not null,
  purpose text not null default 'connect'::text,
  session_id uuid,
  constraint oauth_state_pkey PRIMARY KEY (state_hash),
  constraint oauth_state_session_id_fkey FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE,
  constraint oauth_state_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint oauth_state_check CHECK (((purpose <> 'connect'::text) OR ((user_id IS NOT NULL) AND (workspace_id IS NOT NULL)))),
  constraint oauth_state_check1 CHECK (((purpose <> 'join'::text) OR (user_id IS NOT NULL))),
  constraint oauth_state_check2 CHECK (((user_id IS NULL) = (session_id IS NULL))),
  constraint oauth_state_purpose_check CHECK ((purpose = ANY (ARRAY['connect'::text, 'login'::text, 'join'::text])))
);
grant delete, insert, select on oauth_state to parley_app;

create table one_time_code (
  destination text not null,
  purpose text not null,
  user_id uuid,
  code_hash text not null,
  tries integer not null default 0,
  sent_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint one_time_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint one_time_code_purpose_check CHECK ((purpose = ANY (ARRAY['login'::text, 'verify'::text])))
);
CREATE INDEX one_time_code_expired ON public.one_time_code USING btree (expires_at);
CREATE UNIQUE INDEX one_time_code_key ON public.one_time_code USING btree (destination, purpose, user_id) NULLS NOT DISTINCT;
grant delete, insert, select, update on one_time_code to parley_app;

create table password_reset (
  user_id uuid not null,
  token_hash text not null,
  email text not null,
  expires_at timestamp with time zone not null,
  spent_at timestamp with time zone,
  constraint password_reset_pkey PRIMARY KEY (user_id),
  constraint password_reset_token_hash_key UNIQUE (token_hash),
  constraint password_reset_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
grant delete, insert, select, update on password_reset to parley_app;

create table plan (
  id text not null,
  position integer not null,
  price_amount integer,
  price_currency text,
  constraint plan_pkey PRIMARY KEY (id),
  constraint plan_position_key UNIQUE ("position"),
  constraint plan_price_amount_check CHECK ((price_amount >= 0)),
  constraint plan_price_currency_check CHECK ((price_currency ~ '^[A-Z]{3}$'::text)),
  constraint plan_price_whole CHECK (((price_amount IS NULL) = (price_currency IS NULL)))
);
grant select on plan to parley_across;
grant select on plan to parley_admin;
grant select on plan to parley_app;
grant select on plan to parley_gate;
grant update (price_amount, price_currency) on plan to parley_admin;

create table plan_feature (
  plan_id text not null,
  feature_id text not null,
  constraint plan_feature_pkey PRIMARY KEY (plan_id, feature_id),
  constraint plan_feature_feature_id_fkey FOREIGN KEY (feature_id) REFERENCES feature(id),
  constraint plan_feature_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES plan(id)
);
grant select on plan_feature to parley_across;
grant delete, insert, select on plan_feature to parley_admin;
grant select on plan_feature to parley_app;
grant select on plan_feature to parley_gate;

create table plan_quota (
  plan_id text not null,
  quota_id text not null,
  amount bigint,
  constraint plan_quota_pkey PRIMARY KEY (plan_id, quota_id),
  constraint plan_quota_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES plan(id),
  constraint plan_quota_quota_id_fkey FOREIGN KEY (quota_id) REFERENCES quota(id),
  constraint plan_quota_amount_check CHECK ((amount >= 0))
);
grant select on plan_quota to parley_across;
grant select on plan_quota to parley_admin;
grant select on plan_quota to parley_app;
grant select on plan_quota to parley_gate;
grant update (amount) on plan_quota to parley_admin;

create table post (
  workspace_id uuid not null,
  id uuid not null,
  caption text not null default ''::text,
  hashtags text[] not null default '{}'::text[],
  cta text not null default ''::text,
  media_type text,
  caption_overrides jsonb not null default '{}'::jsonb,
  hashtag_overrides jsonb not null default '{}'::jsonb,
  platform_options jsonb not null default '{}'::jsonb,
  status text not null,
  scheduled_at timestamp with time zone,
  published_at timestamp with time zone,
  late boolean not null default false,
  checks jsonb not null default '[]'::jsonb,
  version integer not null default 1,
  created_by uuid,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  deleted_at timestamp with time zone,
  approved boolean not null default false,
  link_tags jsonb not null default '{"on": null, "campaign": null}'::jsonb,
  live_at timestamp with time zone,
  happens_at timestamp with time zone not null generated always as (COALESCE(published_at, live_at, scheduled_at, created_at)) stored,
  risk_told jsonb,
  constraint post_pkey PRIMARY KEY (workspace_id, id),
  constraint post_created_by_fkey FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint post_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint post_check CHECK (((status <> 'SCHEDULED'::text) OR (scheduled_at IS NOT NULL))),
  constraint post_media_type_check CHECK ((media_type = ANY (ARRAY['IMAGE'::text, 'VIDEO'::text, 'CAROUSEL'::text]))),
  constraint post_status_check CHECK ((status = ANY (ARRAY['DRAFT'::text, 'SCHEDULED'::text, 'PUBLISHING'::text, 'PUBLISHED'::text, 'PARTIALLY_PUBLISHED'::text, 'FAILED'::text])))
);
CREATE INDEX post_happens ON public.post USING btree (workspace_id, happens_at) WHERE (deleted_at IS NULL);
CREATE INDEX post_list ON public.post USING btree (workspace_id, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX post_moving ON public.post USING btree (scheduled_at) WHERE (status = ANY (ARRAY['SCHEDULED'::text, 'PUBLISHING'::text]));
CREATE INDEX post_not_whole ON public.post USING btree (workspace_id, id) WHERE (status = ANY (ARRAY['PARTIALLY_PUBLISHED'::text, 'FAILED'::text]));
CREATE INDEX post_unsettled ON public.post USING btree (workspace_id, id) WHERE ((deleted_at IS NULL) AND (status = ANY (ARRAY['SCHEDULED'::text, 'PUBLISHING'::text, 'PARTIALLY_PUBLISHED'::text, 'FAILED'::text])));
alter table post alter workspace_id set (n_distinct=-0.001);
alter table post alter status set (n_distinct=8);
alter table post enable row level security;
alter table post force row level security;
create policy across_parley_across on post for all to parley_across
  using (true)
  with check (true);
create policy across_parley_admin on post for all to parley_admin
  using (true)
  with check (true);
create policy across_parley_eraser on post for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on post for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select, update on post to parley_across;
grant insert, select, update on post to parley_app;
grant delete, select on post to parley_eraser;
grant select (workspace_id, id, status, scheduled_at, deleted_at) on post to parley_admin;

create table post_comment (
  workspace_id uuid not null,
  id uuid not null,
  post_id uuid not null,
  author_id uuid,
  author_name text not null,
  text text not null,
  mentions jsonb not null default '[]'::jsonb,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null default app_now(),
  constraint post_comment_pkey PRIMARY KEY (workspace_id, id),
  constraint post_comment_author_id_fkey FOREIGN KEY (author_id) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint post_comment_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint post_comment_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES post(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX post_comment_post ON public.post_comment USING btree (workspace_id, post_id, id);
alter table post_comment enable row level security;
alter table post_comment force row level security;
create policy across_parley_eraser on post_comment for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on post_comment for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select, update on post_comment to parley_app;
grant delete, select on post_comment to parley_eraser;

create table post_label (
  workspace_id uuid not null,
  post_id uuid not null,
  label_id uuid not null,
  constraint post_label_pkey PRIMARY KEY (workspace_id, post_id, label_id),
  constraint post_label_workspace_id_label_id_fkey FOREIGN KEY (workspace_id, label_id) REFERENCES label(workspace_id, id) ON DELETE CASCADE,
  constraint post_label_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES post(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX post_label_label ON public.post_label USING btree (workspace_id, label_id);
alter table post_label enable row level security;
alter table post_label force row level security;
create policy across_parley_eraser on post_label for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on post_label for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select on post_label to parley_app;
grant delete, select on post_label to parley_eraser;

create table post_media (
  workspace_id uuid not null,
  post_id uuid not null,
  media_file_id uuid not null,
  sort_order integer not null,
  platforms text[],
  crops jsonb not null default '{}'::jsonb,
  constraint post_media_pkey PRIMARY KEY (workspace_id, post_id, media_file_id),
  constraint post_media_workspace_id_media_file_id_fkey FOREIGN KEY (workspace_id, media_file_id) REFERENCES media_file(workspace_id, id),
  constraint post_media_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES post(workspace_id, id)
);
CREATE INDEX post_media_file ON public.post_media USING btree (workspace_id, media_file_id);
alter table post_media alter workspace_id set (n_distinct=-0.001);
alter table post_media enable row level security;
alter table post_media force row level security;
create policy across_parley_across on post_media for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on post_media for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on post_media for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on post_media to parley_across;
grant delete, insert, select, update on post_media to parley_app;
grant delete, select on post_media to parley_eraser;

create table post_metric (
  workspace_id uuid not null,
  post_id uuid not null,
  day date not null,
  read_at timestamp with time zone not null,
  age_hours real not null,
  reach bigint,
  impressions bigint,
  likes bigint,
  comments bigint,
  shares bigint,
  saves bigint,
  video_views bigint,
  engagement bigint generated always as (
CASE
    WHEN (COALESCE(likes, comments, shares, saves) IS NOT NULL) THEN (((COALESCE(likes, (0)::bigint) + COALESCE(comments, (0)::bigint)) + COALESCE(shares, (0)::bigint)) + COALESCE(saves, (0)::bigint))
    ELSE NULL::bigint
END) stored,
  constraint post_metric_pkey PRIMARY KEY (workspace_id, post_id, day),
  constraint post_metric_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES measured_post(workspace_id, id)
) partition by RANGE (day);
alter table post_metric enable row level security;
alter table post_metric force row level security;
create policy across_parley_eraser on post_metric for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on post_metric for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select, update on post_metric to parley_app;
grant delete, select on post_metric to parley_eraser;

create table post_tags (
  workspace_id uuid not null,
  post_id uuid not null,
  topic text not null,
  format text not null,
  tone text not null,
  tagged_at timestamp with time zone not null default app_now(),
  caption_hash bytea,
  source text not null default 'model'::text,
  constraint post_tags_pkey PRIMARY KEY (workspace_id, post_id),
  constraint post_tags_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint post_tags_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES post(workspace_id, id),
  constraint post_tags_format_check CHECK ((format = ANY (ARRAY['text'::text, 'picture'::text, 'carousel'::text, 'video'::text]))),
  constraint post_tags_source_check CHECK ((source = ANY (ARRAY['model'::text, 'rules'::text, 'person'::text])))
);
alter table post_tags enable row level security;
alter table post_tags force row level security;
create policy across_parley_across on post_tags for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on post_tags for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on post_tags for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on post_tags to parley_across;
grant insert, select, update on post_tags to parley_app;
grant delete, select on post_tags to parley_eraser;

create table post_version (
  workspace_id uuid not null,
  id uuid not null,
  post_id uuid not null,
  version integer not null,
  content jsonb not null,
  saved_by uuid,
  saved_at timestamp with time zone not null default app_now(),
  constraint post_version_pkey PRIMARY KEY (workspace_id, id),
  constraint post_version_workspace_id_post_id_version_key UNIQUE (workspace_id, post_id, version),
  constraint post_version_saved_by_fkey FOREIGN KEY (saved_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint post_version_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint post_version_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES post(workspace_id, id) ON DELETE CASCADE
);
alter table post_version enable row level security;
alter table post_version force row level security;
create policy across_parley_eraser on post_version for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on post_version for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select, update on post_version to parley_app;
grant delete, select on post_version to parley_eraser;

create table posting_queue (
  workspace_id uuid not null,
  slots jsonb not null default '[]'::jsonb,
  version integer not null default 1,
  updated_at timestamp with time zone not null default app_now(),
  constraint posting_queue_pkey PRIMARY KEY (workspace_id),
  constraint posting_queue_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
alter table posting_queue enable row level security;
alter table posting_queue force row level security;
create policy across_parley_eraser on posting_queue for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on posting_queue for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select, update on posting_queue to parley_app;
grant delete, select on posting_queue to parley_eraser;

create view publication with (security_invoker=true) as
SELECT workspace_id,
    id,
    post_id,
    account_id,
    "position",
    state,
    phase,
    dropped_at,
    fence,
    tries,
    failures,
    backoffs,
    due_at,
    next_at,
    turn,
    lease_until,
    intent_at,
    absent_reads,
    absent_at,
    late_reads,
    late_read_at,
    wait_reason,
    handles,
    composed,
    sent,
    external_id,
    permalink,
    published_at,
    error,
    updated_at,
    accepted_at,
    unread_since,
    first_intent_at,
    text_key,
    network_at,
    limited_until,
    unproven,
    delay_told_at
   FROM delivery
  WHERE kind = 'post'::text;
grant select on publication to parley_across;
grant select on publication to parley_app;

create table quota (
  id text not null,
  kind text not null,
  constraint quota_pkey PRIMARY KEY (id),
  constraint quota_kind_check CHECK ((kind = ANY (ARRAY['monthly'::text, 'stock'::text])))
);
grant select on quota to parley_across;
grant select on quota to parley_admin;
grant select on quota to parley_app;
grant select on quota to parley_gate;

create table reply_experiment (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  state text not null default 'STOPPED'::text,
  variant_a jsonb not null,
  variant_b jsonb not null,
  winner text,
  version integer not null default 1,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  constraint reply_experiment_pkey PRIMARY KEY (workspace_id, id),
  constraint reply_experiment_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint reply_experiment_check CHECK (((state = 'DECIDED'::text) = (winner IS NOT NULL))),
  constraint reply_experiment_state_check CHECK ((state = ANY (ARRAY['STOPPED'::text, 'RUNNING'::text, 'DECIDED'::text]))),
  constraint reply_experiment_winner_check CHECK ((winner = ANY (ARRAY['A'::text, 'B'::text])))
);
CREATE UNIQUE INDEX reply_experiment_running ON public.reply_experiment USING btree (workspace_id) WHERE (state = 'RUNNING'::text);
alter table reply_experiment enable row level security;
alter table reply_experiment force row level security;
create policy across_parley_eraser on reply_experiment for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on reply_experiment for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on reply_experiment to parley_app;
grant delete, select on reply_experiment to parley_eraser;

create table report (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  sections text[] not null,
  from_day date,
  to_day date,
  note text not null,
  account_ids uuid[] not null,
  for_clients boolean not null,
  mail_on date,
  version integer not null default 1,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  constraint report_pkey PRIMARY KEY (workspace_id, id),
  constraint report_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint report_check CHECK (((from_day IS NULL) = (to_day IS NULL))),
  constraint report_check1 CHECK (((mail_on IS NULL) OR (from_day IS NULL)))
);
CREATE INDEX report_mail_due ON public.report USING btree (mail_on) WHERE (mail_on IS NOT NULL);
CREATE UNIQUE INDEX report_name ON public.report USING btree (workspace_id, lower(name));
alter table report enable row level security;
alter table report force row level security;
create policy across_parley_across on report for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on report for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on report for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on report to parley_across;
grant delete, insert, select, update on report to parley_app;
grant delete, select on report to parley_eraser;

create table report_mail (
  workspace_id uuid not null,
  id uuid not null,
  report_id uuid not null,
  month date not null,
  user_id uuid not null,
  snapshot_id uuid not null,
  state text not null default 'waiting'::text,
  sealed text,
  error text,
  detail text,
  state_at timestamp with time zone not null,
  constraint report_mail_pkey PRIMARY KEY (workspace_id, id),
  constraint report_mail_workspace_id_report_id_month_user_id_key UNIQUE (workspace_id, report_id, month, user_id),
  constraint report_mail_workspace_id_report_id_fkey FOREIGN KEY (workspace_id, report_id) REFERENCES report(workspace_id, id) ON DELETE CASCADE,
  constraint report_mail_workspace_id_snapshot_id_fkey FOREIGN KEY (workspace_id, snapshot_id) REFERENCES report_snapshot(workspace_id, id) ON DELETE CASCADE,
  constraint report_mail_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES member(workspace_id, user_id) ON DELETE CASCADE,
  constraint report_mail_error_check CHECK ((error = ANY (ARRAY['no_mail_server'::text, 'no_address'::text, 'not_taken'::text, 'link_ended'::text, 'not_a_reader'::text]))),
  constraint report_mail_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sending'::text, 'sent'::text, 'failed'::text])))
);
CREATE INDEX report_mail_member ON public.report_mail USING btree (workspace_id, user_id);
CREATE INDEX report_mail_snapshot ON public.report_mail USING btree (workspace_id, snapshot_id);
alter table report_mail enable row level security;
alter table report_mail force row level security;
create policy across_parley_eraser on report_mail for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on report_mail for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select, update on report_mail to parley_app;
grant delete, select on report_mail to parley_eraser;

create table report_reader (
  workspace_id uuid not null,
  report_id uuid not null,
  user_id uuid not null,
  constraint report_reader_pkey PRIMARY KEY (workspace_id, report_id, user_id),
  constraint report_reader_workspace_id_report_id_fkey FOREIGN KEY (workspace_id, report_id) REFERENCES report(workspace_id, id) ON DELETE CASCADE,
  constraint report_reader_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES member(workspace_id, user_id) ON DELETE CASCADE
);
CREATE INDEX report_reader_member ON public.report_reader USING btree (workspace_id, user_id);
alter table report_reader enable row level security;
alter table report_reader force row level security;
create policy across_parley_eraser on report_reader for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on report_reader for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select on report_reader to parley_app;
grant delete, select on report_reader to parley_eraser;

create table report_snapshot (
  workspace_id uuid not null,
  id uuid not null,
  report_id uuid not null,
  month date,
  token_hash text not null,
  workspace_name text not null,
  timezone text not null,
  name text not null,
  note text not null,
  from_day date not null,
  to_day date not null,
  figures jsonb not null,
  created_by uuid,
  created_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  for_clients boolean not null,
  constraint report_snapshot_pkey PRIMARY KEY (workspace_id, id),
  constraint report_snapshot_workspace_id_report_id_month_key UNIQUE (workspace_id, report_id, month),
  constraint report_snapshot_created_by_fkey FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint report_snapshot_workspace_id_report_id_fkey FOREIGN KEY (workspace_id, report_id) REFERENCES report(workspace_id, id) ON DELETE CASCADE,
  constraint report_snapshot_check CHECK ((ends_at <= (created_at + '400 days'::interval)))
);
CREATE INDEX report_snapshot_maker ON public.report_snapshot USING btree (created_by);
CREATE INDEX report_snapshot_token ON public.report_snapshot USING btree (token_hash);
alter table report_snapshot enable row level security;
alter table report_snapshot force row level security;
create policy across_parley_eraser on report_snapshot for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on report_snapshot for all to parley_gate
  using (true)
  with check (true);
create policy tenant on report_snapshot for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select on report_snapshot to parley_app;
grant delete, select on report_snapshot to parley_eraser;
grant select on report_snapshot to parley_gate;
grant update (revoked_at) on report_snapshot to parley_app;

create table request_window (
  key text not null,
  taken integer not null,
  ends_at timestamp with time zone not null,
  constraint request_window_pkey PRIMARY KEY (key)
);
CREATE INDEX request_window_ended ON public.request_window USING btree (ends_at);
grant delete, insert, select, update on request_window to parley_across;

create table review_link (
  workspace_id uuid not null,
  id uuid not null,
  post_id uuid not null,
  token_hash text not null,
  name text not null,
  created_by uuid,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  opened_at timestamp with time zone,
  created_at timestamp with time zone not null default app_now(),
  constraint review_link_pkey PRIMARY KEY (workspace_id, id),
  constraint review_link_created_by_fkey FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint review_link_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint review_link_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES post(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX review_link_maker ON public.review_link USING btree (created_by) WHERE (revoked_at IS NULL);
CREATE INDEX review_link_post ON public.review_link USING btree (workspace_id, post_id);
CREATE INDEX review_link_token ON public.review_link USING btree (token_hash);
alter table review_link enable row level security;
alter table review_link force row level security;
create policy across_parley_eraser on review_link for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on review_link for all to parley_gate
  using (true)
  with check (true);
create policy tenant on review_link for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select, update on review_link to parley_app;
grant delete, select on review_link to parley_eraser;
grant select on review_link to parley_gate;
grant update (revoked_at) on review_link to parley_gate;

create table review_link_further_post (
  workspace_id uuid not null,
  link_id uuid not null,
  post_id uuid not null,
  position integer not null,
  constraint review_link_further_post_pkey PRIMARY KEY (workspace_id, link_id, post_id),
  constraint review_link_further_post_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint review_link_further_post_workspace_id_link_id_fkey FOREIGN KEY (workspace_id, link_id) REFERENCES review_link(workspace_id, id) ON DELETE CASCADE,
  constraint review_link_further_post_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES post(workspace_id, id) ON DELETE CASCADE,
  constraint review_link_further_post_position_check CHECK (("position" > 0))
);
CREATE INDEX review_link_further_post_post ON public.review_link_further_post USING btree (workspace_id, post_id);
alter table review_link_further_post enable row level security;
alter table review_link_further_post force row level security;
create policy across_parley_eraser on review_link_further_post for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on review_link_further_post for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select on review_link_further_post to parley_app;
grant delete, select on review_link_further_post to parley_eraser;

create table saved_reply (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  text text not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  constraint saved_reply_pkey PRIMARY KEY (workspace_id, id),
  constraint saved_reply_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE UNIQUE INDEX saved_reply_name ON public.saved_reply USING btree (workspace_id, lower(name));
alter table saved_reply enable row level security;
alter table saved_reply force row level security;
create policy across_parley_eraser on saved_reply for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on saved_reply for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on saved_reply to parley_app;
grant delete, select on saved_reply to parley_eraser;

create table saved_view (
  workspace_id uuid not null,
  id uuid not null,
  owner_id uuid,
  screen text not null,
  name text not null,
  filters jsonb not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  constraint saved_view_pkey PRIMARY KEY (workspace_id, id),
  constraint saved_view_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint saved_view_workspace_id_owner_id_fkey FOREIGN KEY (workspace_id, owner_id) REFERENCES member(workspace_id, user_id) ON DELETE CASCADE,
  constraint saved_view_screen_check CHECK ((screen = ANY (ARRAY['posts'::text, 'calendar'::text])))
);
CREATE UNIQUE INDEX saved_view_name ON public.saved_view USING btree (workspace_id, owner_id, screen, lower(name)) NULLS NOT DISTINCT;
alter table saved_view enable row level security;
alter table saved_view force row level security;
create policy across_parley_eraser on saved_view for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on saved_view for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on saved_view to parley_app;
grant delete, select on saved_view to parley_eraser;

create table saved_writing (
  workspace_id uuid not null,
  id uuid not null,
  kind text not null,
  name text not null,
  content jsonb not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  constraint saved_writing_pkey PRIMARY KEY (workspace_id, id),
  constraint saved_writing_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint saved_writing_kind_check CHECK ((kind = ANY (ARRAY['hashtags'::text, 'template'::text])))
);
CREATE UNIQUE INDEX saved_writing_name ON public.saved_writing USING btree (workspace_id, kind, lower(name));
alter table saved_writing enable row level security;
alter table saved_writing force row level security;
create policy across_parley_eraser on saved_writing for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on saved_writing for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on saved_writing to parley_app;
grant delete, select on saved_writing to parley_eraser;

create table secret_canary (
  singleton boolean not null default true,
  sealed text not null,
  constraint secret_canary_pkey PRIMARY KEY (singleton),
  constraint secret_canary_singleton_check CHECK (singleton)
);

create table security_event (
  id uuid not null,
  user_id uuid,
  action text not null,
  detail jsonb not null default '{}'::jsonb,
  ip text,
  request_id text,
  at timestamp with time zone not null default app_now(),
  object jsonb not null default '{}'::jsonb,
  constraint security_event_pkey PRIMARY KEY (id),
  constraint security_event_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX security_event_admin ON public.security_event USING btree (id) WHERE (action ~~ 'admin.%'::text);
CREATE INDEX security_event_user ON public.security_event USING btree (user_id, id);
grant insert, select on security_event to parley_admin;
grant insert on security_event to parley_app;

create table session (
  id uuid not null,
  user_id uuid not null,
  current_token uuid not null,
  issued_at timestamp with time zone not null,
  previous_token uuid,
  last_used_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  end_reason text,
  user_agent text,
  ip text,
  created_at timestamp with time zone not null default app_now(),
  method text not null default 'password'::text,
  constraint session_pkey PRIMARY KEY (id),
  constraint session_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint session_check CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
  constraint session_end_reason_check CHECK ((end_reason = ANY (ARRAY['logout'::text, 'reuse'::text, 'password'::text, 'revoked'::text, 'disabled'::text]))),
  constraint session_method_check CHECK ((method = ANY (ARRAY['password'::text, 'phone'::text, 'email_code'::text, 'IDP_A'::text, 'IDP_B'::text, 'invitation'::text])))
);
CREATE INDEX session_of_user ON public.session USING btree (user_id);
CREATE TRIGGER standing BEFORE UPDATE ON public.session FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL))) EXECUTE FUNCTION lock_standing();
grant insert, select on session to parley_app;
grant select on session to parley_gate;
grant select (id, user_id, issued_at, last_used_at, expires_at, ended_at) on session to parley_admin;
grant update (ended_at, end_reason) on session to parley_admin;
grant update (current_token, issued_at, previous_token, last_used_at, ended_at, end_reason) on session to parley_app;

create table social_account (
  workspace_id uuid not null,
  id uuid not null,
  platform text not null,
  external_id text not null,
  network_user text not null,
  name text not null,
  username text,
  avatar_url text,
  profile_url text,
  status text not null,
  paused_at timestamp with time zone,
  access_token text,
  user_token text,
  token_expires_at timestamp with time zone,
  granted_scopes text[] not null default '{}'::text[],
  version integer not null default 1,
  connected_by uuid,
  connected_at timestamp with time zone not null,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  refresh_token text,
  refresh_expires_at timestamp with time zone,
  refreshing_until timestamp with time zone,
  constraint social_account_pkey PRIMARY KEY (workspace_id, id),
  constraint social_account_workspace_id_platform_external_id_key UNIQUE (workspace_id, platform, external_id),
  constraint social_account_connected_by_fkey FOREIGN KEY (connected_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint social_account_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint social_account_check CHECK (((status <> 'DISCONNECTED'::text) OR ((access_token IS NULL) AND (user_token IS NULL)))),
  constraint social_account_check1 CHECK (((status <> 'DISCONNECTED'::text) OR (refresh_token IS NULL))),
  constraint social_account_status_check CHECK ((status = ANY (ARRAY['CONNECTED'::text, 'RECONNECT_NEEDED'::text, 'DISCONNECTED'::text])))
);
CREATE INDEX social_account_external ON public.social_account USING btree (platform, external_id);
CREATE INDEX social_account_person ON public.social_account USING btree (network_user) WHERE (status = 'CONNECTED'::text);
alter table social_account alter workspace_id set (n_distinct=-0.001);
alter table social_account enable row level security;
alter table social_account force row level security;
create policy across_parley_across on social_account for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on social_account for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on social_account for all to parley_gate
  using (true)
  with check (true);
create policy tenant on social_account for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on social_account to parley_across;
grant insert, select, update on social_account to parley_app;
grant delete, select on social_account to parley_eraser;
grant select (platform, external_id, status) on social_account to parley_gate;

create table subscription (
  workspace_id uuid not null,
  plan_id text not null,
  status text not null default 'active'::text,
  updated_at timestamp with time zone not null default app_now(),
  constraint subscription_pkey PRIMARY KEY (workspace_id),
  constraint subscription_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES plan(id),
  constraint subscription_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint subscription_status_check CHECK ((status = 'active'::text))
);
CREATE TRIGGER standing BEFORE UPDATE ON public.subscription FOR EACH ROW WHEN ((old.plan_id IS DISTINCT FROM new.plan_id)) EXECUTE FUNCTION lock_plan();
alter table subscription enable row level security;
alter table subscription force row level security;
create policy across_parley_across on subscription for all to parley_across
  using (true)
  with check (true);
create policy across_parley_admin on subscription for all to parley_admin
  using (true)
  with check (true);
create policy across_parley_eraser on subscription for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on subscription for all to parley_gate
  using (true)
  with check (true);
create policy tenant on subscription for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select, update on subscription to parley_app;
grant delete, select on subscription to parley_eraser;
grant select on subscription to parley_gate;
grant select (workspace_id, plan_id) on subscription to parley_across;
grant select (workspace_id, plan_id) on subscription to parley_admin;

create table thread (
  workspace_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  identity_id uuid,
  kind text not null,
  key text not null,
  post_ref text,
  post_id uuid,
  status text not null default 'OPEN'::text,
  assignee uuid,
  urgency text not null default 'MEDIUM'::text,
  sentiment text,
  language text,
  tags text[] not null default '{}'::text[],
  reply_style text,
  bot_paused_at timestamp with time zone,
  bot_streak integer not null default 0,
  revision integer not null default 0,
  window_until timestamp with time zone,
  human_until timestamp with time zone,
  unanswered_at timestamp with time zone,
  opened_at timestamp with time zone not null,
  last_in_at timestamp with time zone,
  last_out_at timestamp with time zone,
  read_until timestamp with time zone,
  snoozed_until timestamp with time zone,
  version integer not null default 1,
  updated_at timestamp with time zone not null default app_now(),
  told_wait timestamp with time zone,
  held text,
  handed_over_at timestamp with time zone,
  experiment_id uuid,
  variant text,
  comments integer,
  comments_before integer,
  post_url text,
  post_text text,
  live boolean not null default false,
  urgency_by text,
  ended_pause_at timestamp with time zone,
  constraint thread_pkey PRIMARY KEY (workspace_id, id),
  constraint thread_workspace_id_account_id_key_key UNIQUE (workspace_id, account_id, key),
  constraint thread_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id),
  constraint thread_workspace_id_assignee_fkey FOREIGN KEY (workspace_id, assignee) REFERENCES member(workspace_id, user_id) ON DELETE SET NULL (assignee),
  constraint thread_workspace_id_experiment_id_fkey FOREIGN KEY (workspace_id, experiment_id) REFERENCES reply_experiment(workspace_id, id) ON DELETE SET NULL (experiment_id),
  constraint thread_workspace_id_identity_id_fkey FOREIGN KEY (workspace_id, identity_id) REFERENCES audience_identity(workspace_id, id),
  constraint thread_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES post(workspace_id, id),
  constraint thread_check CHECK (((status = 'SNOOZED'::text) = (snoozed_until IS NOT NULL))),
  constraint thread_counted_check CHECK ((((identity_id IS NULL) = (comments IS NOT NULL)) AND ((comments IS NULL) = (comments_before IS NULL)))),
  constraint thread_kind_check CHECK ((kind = ANY (ARRAY['COMMENT'::text, 'DM'::text]))),
  constraint thread_sentiment_check CHECK ((sentiment = ANY (ARRAY['positive'::text, 'neutral'::text, 'negative'::text]))),
  constraint thread_status_check CHECK ((status = ANY (ARRAY['OPEN'::text, 'ESCALATED'::text, 'SNOOZED'::text, 'CLOSED'::text]))),
  constraint thread_urgency_by_check CHECK ((urgency_by = ANY (ARRAY['message'::text, 'person'::text]))),
  constraint thread_urgency_check CHECK ((urgency = ANY (ARRAY['LOW'::text, 'MEDIUM'::text, 'HIGH'::text, 'CRITICAL'::text]))),
  constraint thread_variant_check CHECK ((variant = ANY (ARRAY['A'::text, 'B'::text])))
);
CREATE INDEX thread_assignee ON public.thread USING btree (workspace_id, assignee, status) WHERE (assignee IS NOT NULL);
CREATE INDEX thread_experiment ON public.thread USING btree (workspace_id, experiment_id) WHERE (experiment_id IS NOT NULL);
CREATE INDEX thread_few ON public.thread USING btree (workspace_id, status, thread_priority(urgency, unanswered_at) DESC, id DESC) WHERE (status = ANY (ARRAY['ESCALATED'::text, 'SNOOZED'::text]));
CREATE INDEX thread_held ON public.thread USING btree (workspace_id, thread_priority(urgency, unanswered_at) DESC, id DESC) WHERE (held IS NOT NULL);
CREATE INDEX thread_identity ON public.thread USING btree (workspace_id, identity_id);
CREATE INDEX thread_newest ON public.thread USING btree (workspace_id, COALESCE(last_in_at, opened_at) DESC, id DESC);
CREATE INDEX thread_not_closed ON public.thread USING btree (workspace_id, thread_priority(urgency, unanswered_at) DESC, id DESC) WHERE (status <> 'CLOSED'::text);
CREATE INDEX thread_post ON public.thread USING btree (workspace_id, post_id) WHERE (post_id IS NOT NULL);
CREATE INDEX thread_post_ref ON public.thread USING btree (workspace_id, account_id, post_ref) WHERE (post_ref IS NOT NULL);
CREATE INDEX thread_priority ON public.thread USING btree (workspace_id, thread_priority(urgency, unanswered_at) DESC, id DESC);
CREATE INDEX thread_snoozed ON public.thread USING btree (snoozed_until) WHERE (snoozed_until IS NOT NULL);
CREATE INDEX thread_unanswered ON public.thread USING btree (unanswered_at) WHERE ((unanswered_at IS NOT NULL) AND (status = ANY (ARRAY['OPEN'::text, 'ESCALATED'::text])) AND (told_wait IS DISTINCT FROM unanswered_at));
alter table thread alter workspace_id set (n_distinct=-0.001);
alter table thread enable row level security;
alter table thread force row level security;
create policy across_parley_across on thread for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on thread for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on thread for all to parley_gate
  using (true)
  with check (true);
create policy tenant on thread for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on thread to parley_across;
grant delete, insert, select, update on thread to parley_app;
grant delete, select on thread to parley_eraser;
grant select on thread to parley_gate;

create table thread_label (
  workspace_id uuid not null,
  thread_id uuid not null,
  label_id uuid not null,
  constraint thread_label_pkey PRIMARY KEY (workspace_id, thread_id, label_id),
  constraint thread_label_workspace_id_label_id_fkey FOREIGN KEY (workspace_id, label_id) REFERENCES label(workspace_id, id) ON DELETE CASCADE,
  constraint thread_label_workspace_id_thread_id_fkey FOREIGN KEY (workspace_id, thread_id) REFERENCES thread(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX thread_label_label ON public.thread_label USING btree (workspace_id, label_id);
alter table thread_label enable row level security;
alter table thread_label force row level security;
create policy across_parley_eraser on thread_label for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on thread_label for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select on thread_label to parley_app;
grant delete, select on thread_label to parley_eraser;

create table thread_presence (
  workspace_id uuid not null,
  thread_id uuid not null,
  user_id uuid not null,
  typing boolean not null,
  until timestamp with time zone not null,
  constraint thread_presence_pkey PRIMARY KEY (workspace_id, thread_id, user_id),
  constraint thread_presence_workspace_id_thread_id_fkey FOREIGN KEY (workspace_id, thread_id) REFERENCES thread(workspace_id, id) ON DELETE CASCADE,
  constraint thread_presence_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES member(workspace_id, user_id) ON DELETE CASCADE
);
CREATE INDEX thread_presence_over ON public.thread_presence USING btree (until);
CREATE INDEX thread_presence_user ON public.thread_presence USING btree (workspace_id, user_id);
alter table thread_presence enable row level security;
alter table thread_presence force row level security;
create policy across_parley_across on thread_presence for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on thread_presence for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on thread_presence for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, select on thread_presence to parley_across;
grant delete, insert, select, update on thread_presence to parley_app;
grant delete, select on thread_presence to parley_eraser;

create table thread_seen (
  workspace_id uuid not null,
  thread_id uuid not null,
  user_id uuid not null,
  seen_at timestamp with time zone not null,
  constraint thread_seen_pkey PRIMARY KEY (workspace_id, thread_id, user_id),
  constraint thread_seen_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint thread_seen_workspace_id_thread_id_fkey FOREIGN KEY (workspace_id, thread_id) REFERENCES thread(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX thread_seen_user ON public.thread_seen USING btree (user_id);
alter table thread_seen enable row level security;
alter table thread_seen force row level security;
create policy across_parley_eraser on thread_seen for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on thread_seen for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on thread_seen to parley_app;
grant delete, select on thread_seen to parley_eraser;

create table try_count (
  key text not null,
  tries integer not null,
  ends_at timestamp with time zone not null,
  constraint try_count_pkey PRIMARY KEY (key)
);
CREATE INDEX try_count_ended ON public.try_count USING btree (ends_at);
grant delete, insert, select, update on try_count to parley_app;

create table usage_hold (
  workspace_id uuid not null,
  id uuid not null,
  quota_id text not null,
  period date not null,
  amount bigint not null,
  expires_at timestamp with time zone not null,
  constraint usage_hold_pkey PRIMARY KEY (workspace_id, id),
  constraint usage_hold_quota_id_fkey FOREIGN KEY (quota_id) REFERENCES quota(id),
  constraint usage_hold_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint usage_hold_amount_check CHECK ((amount >= 0))
);
CREATE INDEX usage_hold_quota ON public.usage_hold USING btree (workspace_id, quota_id, period, expires_at);
alter table usage_hold enable row level security;
alter table usage_hold force row level security;
create policy across_parley_eraser on usage_hold for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on usage_hold for all to parley_gate
  using (true)
  with check (true);
create policy tenant on usage_hold for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on usage_hold to parley_app;
grant delete, select on usage_hold to parley_eraser;
grant select on usage_hold to parley_gate;

create table user_identity (
  issuer text not null,
  subject text not null,
  id uuid not null,
  provider text not null,
  user_id uuid not null,
  email text,
  created_at timestamp with time zone not null default app_now(),
  last_used_at timestamp with time zone default app_now(),
  constraint user_identity_pkey PRIMARY KEY (issuer, subject),
  constraint user_identity_id_key UNIQUE (id),
  constraint user_identity_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint user_identity_provider_check CHECK ((provider = ANY (ARRAY['IDP_A'::text, 'IDP_B'::text])))
);
CREATE INDEX user_identity_user ON public.user_identity USING btree (user_id);
grant delete, insert, select, update on user_identity to parley_app;

create table webhook_subscription (
  workspace_id uuid not null,
  account_id uuid not null,
  url text,
  checked_at timestamp with time zone not null,
  constraint webhook_subscription_pkey PRIMARY KEY (workspace_id, account_id),
  constraint webhook_subscription_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES social_account(workspace_id, id)
);
alter table webhook_subscription enable row level security;
alter table webhook_subscription force row level security;
create policy across_parley_across on webhook_subscription for all to parley_across
  using (true)
  with check (true);
create policy across_parley_eraser on webhook_subscription for all to parley_eraser
  using (true)
  with check (true);
create policy tenant on webhook_subscription for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on webhook_subscription to parley_across;
grant insert, select, update on webhook_subscription to parley_app;
grant delete, select on webhook_subscription to parley_eraser;

create table workspace (
  id uuid not null,
  name text not null,
  timezone text not null,
  week_start text not null default 'monday'::text,
  language text not null default 'en'::text,
  niche text,
  approval_mode text not null default 'optional'::text,
  publishing_paused_at timestamp with time zone,
  publishing_paused_reason text,
  bot_paused_at timestamp with time zone,
  bot_paused_reason text,
  version integer not null default 1,
  created_by uuid,
  created_at timestamp with time zone not null default app_now(),
  updated_at timestamp with time zone not null default app_now(),
  deleted_at timestamp with time zone,
  publishing_on_resume text not null default 'send'::text,
  link_tags jsonb not null default '{"on": false, "medium": "social", "source": "{network}", "campaign": ""}'::jsonb,
  erasing_at timestamp with time zone,
  constraint workspace_pkey PRIMARY KEY (id),
  constraint workspace_created_by_fkey FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint workspace_approval_mode_check CHECK ((approval_mode = ANY (ARRAY['none'::text, 'optional'::text, 'required'::text, 'required_with_client'::text]))),
  constraint workspace_publishing_on_resume_check CHECK ((publishing_on_resume = ANY (ARRAY['send'::text, 'draft'::text]))),
  constraint workspace_week_start_check CHECK ((week_start = ANY (ARRAY['monday'::text, 'sunday'::text, 'saturday'::text])))
);
CREATE INDEX workspace_deleted ON public.workspace USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE TRIGGER standing BEFORE UPDATE ON public.workspace FOR EACH ROW WHEN (((old.deleted_at IS NULL) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION lock_standing();
alter table workspace enable row level security;
alter table workspace force row level security;
create policy across_parley_across on workspace for all to parley_across
  using (true)
  with check (true);
create policy across_parley_admin on workspace for all to parley_admin
  using (true)
  with check (true);
create policy across_parley_eraser on workspace for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on workspace for all to parley_gate
  using (true)
  with check (true);
create policy tenant on workspace for all to parley_app
  using ((id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on workspace to parley_across;
grant insert, select, update on workspace to parley_app;
grant delete, select on workspace to parley_eraser;
grant select on workspace to parley_gate;
grant select (id, name, timezone, created_at, deleted_at) on workspace to parley_admin;
grant update (erasing_at) on workspace to parley_eraser;

create table workspace_invitation (
  workspace_id uuid not null,
  id uuid not null,
  email text not null,
  role text not null,
  token_hash text not null,
  invited_by uuid,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  created_at timestamp with time zone not null default app_now(),
  constraint workspace_invitation_pkey PRIMARY KEY (workspace_id, id),
  constraint workspace_invitation_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint workspace_invitation_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint workspace_invitation_email_check CHECK ((email = lower(email))),
  constraint workspace_invitation_role_check CHECK ((role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'EDITOR'::text, 'VIEWER'::text, 'CLIENT'::text])))
);
CREATE UNIQUE INDEX workspace_invitation_pending ON public.workspace_invitation USING btree (workspace_id, email) WHERE (accepted_at IS NULL);
CREATE INDEX workspace_invitation_token ON public.workspace_invitation USING btree (token_hash);
alter table workspace_invitation enable row level security;
alter table workspace_invitation force row level security;
create policy across_parley_eraser on workspace_invitation for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on workspace_invitation for all to parley_gate
  using (true)
  with check (true);
create policy tenant on workspace_invitation for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on workspace_invitation to parley_app;
grant delete, select on workspace_invitation to parley_eraser;
grant select on workspace_invitation to parley_gate;

create table workspace_usage (
  workspace_id uuid not null,
  quota_id text not null,
  period date not null,
  used bigint not null default 0,
  constraint workspace_usage_pkey PRIMARY KEY (workspace_id, quota_id, period),
  constraint workspace_usage_quota_id_fkey FOREIGN KEY (quota_id) REFERENCES quota(id),
  constraint workspace_usage_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id),
  constraint workspace_usage_used_check CHECK ((used >= 0))
);
alter table workspace_usage enable row level security;
alter table workspace_usage force row level security;
create policy across_parley_admin on workspace_usage for all to parley_admin
  using (true)
  with check (true);
create policy across_parley_eraser on workspace_usage for all to parley_eraser
  using (true)
  with check (true);
create policy across_parley_gate on workspace_usage for all to parley_gate
  using (true)
  with check (true);
create policy tenant on workspace_usage for all to parley_app
  using ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((workspace_id = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on workspace_usage to parley_admin;
grant insert, select, update on workspace_usage to parley_app;
grant delete, select on workspace_usage to parley_eraser;
grant select on workspace_usage to parley_gate;

CREATE OR REPLACE FUNCTION public.across_table(name regclass, grants text, reader text DEFAULT 'parley_across'::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('create policy %I on %s to %I using (true) with check (true)', 'across_' || reader, name, reader);
  execute format('grant %s on %s to %I', grants, name, reader);
end $function$;
grant execute on function across_table(regclass,text,text) to public;

CREATE OR REPLACE FUNCTION public.admin_jobs(of_queue text, OUT id bigint, OUT queue text, OUT state text, OUT attempts integer, OUT max_attempts integer, OUT run_at timestamp with time zone, OUT tried_at timestamp with time zone, OUT error text)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select j.id, j.task_identifier,
    case when j.locked_at is not null then 'running' when j.attempts >= j.max_attempts then 'failed' else 'waiting' end,
    j.attempts::int, j.max_attempts::int, j.run_at, j.updated_at, case when j.attempts > 0 then j.last_error end
  from graphile_worker.jobs j where of_queue is null or j.task_identifier = of_queue
$function$;
grant execute on function admin_jobs(text) to parley_admin;

CREATE OR REPLACE FUNCTION public.admin_retry_jobs(ids bigint[])
 RETURNS SETOF bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select (graphile_worker.reschedule_jobs(array(
    select j.id from graphile_worker.jobs j
    where j.id = any (ids) and j.locked_at is null and j.attempts > 0 and j.last_error is not null),
    run_at => pg_catalog.now(), attempts => 0)).id
$function$;
grant execute on function admin_retry_jobs(bigint[]) to parley_admin;

CREATE OR REPLACE FUNCTION public.app_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
RETURN (now() + (SELECT app_clock.shift FROM app_clock));
grant execute on function app_now() to public;

CREATE OR REPLACE FUNCTION public.customers_found(name_words tsquery)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 20
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  own text := nullif(current_setting('app.workspace_id', true), '');
  own_word tsquery := ('''w:' || own || '''')::tsquery;
begin
  if own is null or numnode(name_words) = 0 then return; end if;
  return query select n.id from audience_node n where n.words @@ (name_words && own_word) and n.workspace_id::text = own;
  return query select i.node_id from audience_identity i where i.words @@ (name_words && own_word) and i.workspace_id::text = own;
end $function$;
-- owner: parley_gate
grant execute on function customers_found(tsquery) to parley_app;

CREATE OR REPLACE FUNCTION public.deleted_workspaces(person uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select w.id from member m join workspace w on w.id = m.workspace_id
  where m.user_id = person and m.role = 'OWNER' and w.deleted_at > app_now() - interval '30 days'
$function$;
-- owner: parley_gate
grant execute on function deleted_workspaces(uuid) to parley_app;

CREATE OR REPLACE FUNCTION public.end_review_links()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update review_link set revoked_at = app_now()
    where workspace_id = old.workspace_id and created_by = old.user_id and revoked_at is null;
  return null;
end $function$;
-- owner: parley_gate

CREATE OR REPLACE FUNCTION public.end_review_links_of_disabled()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update review_link set revoked_at = app_now() where created_by = old.id and revoked_at is null;
  return null;
end $function$;
-- owner: parley_gate

CREATE OR REPLACE FUNCTION public.engagement(heat double precision, heat_at timestamp with time zone, at timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (round((((100)::double precision * ((1)::double precision - exp(((- LEAST(COALESCE(heat_left(heat, heat_at, at), (0)::double precision), (5000)::double precision)) / (10)::double precision)))))::numeric, 1))::double precision;
grant execute on function engagement(double precision,timestamp with time zone,timestamp with time zone) to public;

CREATE OR REPLACE FUNCTION public.enqueue_jobs(jobs jsonb)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, key)
  select t.id,
    json_build_object('workspaceId', nullif(pg_catalog.current_setting('app.workspace_id', true), ''), 'data', job -> 'data'),
    (job ->> 'runAt')::timestamptz, coalesce((job ->> 'maxAttempts')::smallint, 25), job ->> 'key'
  from jsonb_array_elements(jobs) as job join graphile_worker._private_tasks t on t.identifier = job ->> 'name'
  where job -> 'own' is not null;
  select graphile_worker.add_job(
    job ->> 'name',
    case when job ->> 'turnOf' is null
      then json_build_object('workspaceId', nullif(pg_catalog.current_setting('app.workspace_id', true), ''), 'data', job -> 'data')
      else json_build_object('workspaceId', nullif(pg_catalog.current_setting('app.workspace_id', true), ''), 'data', job -> 'data',
        'turnOf', job ->> 'turnOf') end,
    queue_name => job ->> 'queue',
    run_at => (job ->> 'runAt')::timestamptz,
    job_key => job ->> 'key',
    max_attempts => coalesce((job ->> 'maxAttempts')::int, 25),
    priority => case when job ? 'turns'
      then next_turn(job -> 'turns', coalesce(job ->> 'turnOf', pg_catalog.current_setting('app.workspace_id', true))) end)
  from jsonb_array_elements(jobs) as job where job -> 'own' is null;
  select pg_catalog.pg_notify('parley_jobs', json_object_agg(name, many)::text)
  from (select job ->> 'name' as name, count(*) as many from jsonb_array_elements(jobs) as job
    where job -> 'own' is null and coalesce((job ->> 'runAt')::timestamptz, pg_catalog.now()) <= pg_catalog.clock_timestamp()
    group by 1) as due
  having count(*) > 0
$function$;
grant execute on function enqueue_jobs(jsonb) to parley_across;
grant execute on function enqueue_jobs(jsonb) to parley_app;

CREATE OR REPLACE FUNCTION public.enqueue_once(workspace uuid, job jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform from graphile_worker._private_jobs j where j.key = job ->> 'key' and j.is_available and j.attempts = 0
    and j.run_at <= pg_catalog.now() for share skip locked;
  if found then
    -- A lane that looked meanwhile has passed it by.
    perform pg_catalog.pg_notify('parley_jobs', json_build_object(job ->> 'name', 1)::text);
    return;
  end if;
  perform set_config('app.workspace_id', workspace::text, true);
  perform enqueue_jobs(jsonb_build_array(job));
end $function$;
grant execute on function enqueue_once(uuid,jsonb) to parley_across;

CREATE OR REPLACE FUNCTION public.erase_workspace_batch(most integer, OUT erased integer, OUT more boolean, OUT files jsonb, OUT accounts jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  own uuid := nullif(current_setting('app.workspace_id', true), '')::uuid;
  item record;
  part oid;
  batch tid[];
  ids uuid[];
  pointer text;
  below tid[];
  below_ids uuid[];
  deleted int;
  rounds int := 0;
  kept jsonb;
begin
  erased := 0;
  more := false;
  files := '[]';
  accounts := '[]';
  perform from workspace w where w.id = own and w.deleted_at <= app_now() - interval '30 days' for no key update;
  if not found then return; end if;
  update workspace w set erasing_at = app_now() where w.id = own and w.erasing_at is null;
  for item in
    with recursive tables as (
      select polrelid as id from pg_policy where polname = 'tenant' and polrelid <> 'workspace'::regclass
      union select conrelid from pg_constraint where contype = 'f' and confrelid = 'workspace'::regclass and conparentid = 0
    ), pointers as (
      select k.conrelid as child, k.confrelid as parent from pg_constraint k
      where k.contype = 'f' and k.conrelid <> k.confrelid
        and k.conrelid in (select t.id from tables t) and k.confrelid in (select t.id from tables t)
        and not (k.confdeltype = 'n' and exists (select from pg_constraint back
          where back.contype = 'f' and back.conrelid = k.confrelid and back.confrelid = k.conrelid))
    ), heights as (
      select t.id, 0 as height from tables t
      union select p.parent, h.height + 1 from heights h join pointers p on p.child = h.id where h.height < 100
    )
    select h.id::regclass as name, max(h.height) as height,
      array(select a.attname::text from pg_constraint k
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey) and a.attname <> 'workspace_id'
        where k.contype = 'f' and k.conrelid = h.id and k.confrelid = h.id) as pointers,
      case when h.id = 'social_account'::regclass then $kept$case when access_token is not null then jsonb_build_object(
          'accountId', id, 'platform', platform, 'externalId', external_id, 'userKey', network_user, 'sealedToken', access_token)
          end$kept$
        else coalesce((select format('to_jsonb(array_remove(array[%s], null))', string_agg(a.attname::text, ', ')) from pg_attribute a
          where a.attrelid = h.id and a.attname in ('original_key', 'storage_key', 'thumbnail_key')
          having count(*) > 0), 'null::jsonb')
        end as kept
    from heights h group by h.id order by h.id = 'member'::regclass, max(h.height), h.id
  loop
    if item.height = 100 then raise exception 'The tables % and others point to each other', item.name; end if;
    loop
      execute format('select x.part, array_agg(x.place), array_agg(x.id)
          from (select tableoid as part, ctid as place, %s as id from %s where workspace_id = $1 limit $2) x group by x.part limit 1',
        case when item.pointers = '{}' then 'null::uuid' else 'id' end, item.name)
        into part, batch, ids using own, greatest(case when item.pointers = '{}' then most - erased else (most - erased) / 2 end, 1);
      exit when batch is null;
      -- In a table whose rows point to each other, half of the room is for the rows that must go first, and the batch ends early:
      -- with little room left, a round finds few rows.
      more := erased >= most or item.pointers <> '{}' and (erased > most / 2 or rounds >= 10);
      if more then return; end if;
      if item.pointers <> '{}' then rounds := rounds + 1; end if;
      -- If other rows of the table point to these rows, take those instead, or both if there is room for both.
      loop
        below := null;
        foreach pointer in array item.pointers loop
          execute format('select array_agg(x.place), array_agg(x.id) from (select child.place, child.id from unnest($2) one (id)
              cross join lateral (select c.ctid as place, c.id from %s c where c.workspace_id = $1 and c.%I = one.id limit $3) child
              where child.id <> all ($2) limit $3) x', item.name, pointer)
            into below, below_ids using own, ids, most - erased;
          exit when below is not null;
        end loop;
        exit when below is null;
        if cardinality(ids) + cardinality(below_ids) <= most - erased then
          below := batch || below;
          below_ids := ids || below_ids;
        end if;
        batch := below;
        ids := below_ids;
      end loop;
      execute format('with gone as (delete from %s where ctid = any ($2) and tableoid = $3 and workspace_id::text = $1::text
          returning %s as kept)
        select count(*), coalesce(jsonb_agg(kept) filter (where kept is not null), ''[]'') from gone', item.name, item.kept)
        into deleted, kept using own, batch, part;
      erased := erased + deleted;
      if item.name = 'social_account'::regclass then accounts := accounts || kept; else files := files || kept; end if;
    end loop;
  end loop;
  more := erased >= most;
  if more then return; end if;
  delete from workspace w where w.id = own;
  erased := erased + 1;
end $function$;
-- owner: parley_eraser
grant execute on function erase_workspace_batch(integer) to parley_app;

CREATE OR REPLACE FUNCTION public.gate_facts(session uuid, asked_workspace uuid, asked_quota text, OUT user_id uuid, OUT disabled boolean, OUT is_super_admin boolean, OUT email_confirmed boolean, OUT workspace_id uuid, OUT role text, OUT plan text, OUT features text[], OUT quota_limit bigint, OUT quota_used bigint, OUT quota_resets_at timestamp with time zone)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select f.* from session s, lateral member_facts(s.user_id, asked_workspace, asked_quota) f
  where s.id = session and s.expires_at > app_now() and (s.ended_at is null or s.end_reason = 'disabled' and f.disabled)
$function$;
-- owner: parley_gate
grant execute on function gate_facts(uuid,uuid,text) to parley_across;

CREATE OR REPLACE FUNCTION public.heat_left(heat double precision, heat_at timestamp with time zone, at timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (heat * power((2)::double precision, ((EXTRACT(epoch FROM (heat_at - at)))::double precision / (2592000)::double precision)));
grant execute on function heat_left(double precision,timestamp with time zone,timestamp with time zone) to public;

CREATE OR REPLACE FUNCTION public.invitation_facts(token text, OUT workspace_id uuid, OUT id uuid, OUT email text, OUT role text, OUT expires_at timestamp with time zone, OUT accepted_at timestamp with time zone, OUT workspace_name text, OUT invited_by text)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select i.workspace_id, i.id, i.email, i.role, i.expires_at, i.accepted_at, w.name, u.name
  from workspace_invitation i join workspace w on w.id = i.workspace_id left join app_user u on u.id = i.invited_by
  where i.token_hash = token and w.deleted_at is null
$function$;
-- owner: parley_gate
grant execute on function invitation_facts(text) to parley_across;
grant execute on function invitation_facts(text) to parley_app;

CREATE OR REPLACE FUNCTION public.iso(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN to_char((at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);
grant execute on function iso(timestamp with time zone) to public;

CREATE OR REPLACE FUNCTION public.lock_membership()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(standing_key(old.user_id, old.workspace_id));
  return case tg_op when 'DELETE' then old else new end;
end $function$;
grant execute on function lock_membership() to public;

CREATE OR REPLACE FUNCTION public.lock_plan()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(standing_key(old.workspace_id));
  return new;
end $function$;
grant execute on function lock_plan() to public;

CREATE OR REPLACE FUNCTION public.lock_standing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(standing_key(old.id));
  return new;
end $function$;
grant execute on function lock_standing() to public;

CREATE OR REPLACE FUNCTION public.member_facts(person uuid, asked_workspace uuid, asked_quota text, OUT user_id uuid, OUT disabled boolean, OUT is_super_admin boolean, OUT email_confirmed boolean, OUT workspace_id uuid, OUT role text, OUT plan text, OUT features text[], OUT quota_limit bigint, OUT quota_used bigint, OUT quota_resets_at timestamp with time zone)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select u.id, u.disabled_at is not null, u.is_super_admin, u.email_confirmed_at is not null or u.phone_confirmed_at is not null,
    m.workspace_id, m.role, sub.plan_id,
    (select array_agg(feature_id) from plan_feature f where f.plan_id = sub.plan_id),
    pq.amount, coalesce(used.used, 0) + coalesce((select sum(amount) from usage_hold h where h.workspace_id = m.workspace_id
      and h.quota_id = q.id and h.period = period.start and h.expires_at > app_now()), 0)::bigint,
    case when q.kind = 'monthly' then ((period.start + interval '1 month')::timestamp at time zone w.timezone) end
  from app_user u
  left join member m on m.user_id = u.id and m.workspace_id = coalesce(asked_workspace, u.default_workspace_id)
    and exists (select from workspace x where x.id = m.workspace_id and x.deleted_at is null)
  left join workspace w on w.id = m.workspace_id
  left join subscription sub on sub.workspace_id = m.workspace_id
  left join quota q on q.id = asked_quota
  left join plan_quota pq on pq.plan_id = sub.plan_id and pq.quota_id = q.id
  left join lateral (select usage_period(m.workspace_id, q.kind, w.timezone) as start where q.id is not null) period on true
  left join workspace_usage used on used.workspace_id = m.workspace_id and used.quota_id = q.id and used.period = period.start
  where u.id = person
$function$;
-- owner: parley_gate
grant execute on function member_facts(uuid,uuid,text) to parley_across;

CREATE OR REPLACE FUNCTION public.memberships(session uuid, OUT workspace_id uuid, OUT user_id uuid, OUT role text, OUT has_client boolean)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select m.workspace_id, m.user_id, m.role,
    exists (select from member c where c.workspace_id = m.workspace_id and c.role = 'CLIENT')
  from session s join app_user u on u.id = s.user_id and u.disabled_at is null
  join member m on m.user_id = u.id join workspace w on w.id = m.workspace_id and w.deleted_at is null
  where s.id = session and s.ended_at is null and s.expires_at > app_now()
$function$;
-- owner: parley_gate
grant execute on function memberships(uuid) to parley_across;

CREATE OR REPLACE FUNCTION public.message_terms(workspace uuid, words tsvector)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY(SELECT "left"(("right"((message_terms.workspace)::text, 2) || word.word), 100) AS "left" FROM unnest(tsvector_to_array(message_terms.words)) word(word)));
grant execute on function message_terms(uuid,tsvector) to public;

CREATE OR REPLACE FUNCTION public.must_find(rows bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if rows = 0 then raise exception 'the expected state was not there' using errcode = 'PA001'; end if;
end $function$;
grant execute on function must_find(bigint) to public;

CREATE OR REPLACE FUNCTION public.next_turn(names jsonb, of_workspace text)
 RETURNS integer
 LANGUAGE sql
AS $function$
  select least(32767, greatest(0,
    coalesce(min(j.priority), 0),
    coalesce(max(j.priority) filter (where coalesce(j.payload ->> 'turnOf', j.payload ->> 'workspaceId') = of_workspace) + 1, 0)))
  from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
  where names ? t.identifier and j.attempts < j.max_attempts and j.run_at <= pg_catalog.now()
$function$;

CREATE OR REPLACE FUNCTION public.page_is_known(network text, page text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select exists (select from social_account where platform = network and external_id = page and status <> 'DISCONNECTED') $function$;
-- owner: parley_gate
grant execute on function page_is_known(text,text) to parley_app;

CREATE OR REPLACE FUNCTION public.post_metric_expire()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '2s'
AS $function$
declare
  old regclass;
  dropped int := 0;
begin
  for old in select i.inhrelid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'post_metric'::regclass
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= app_now() - interval '25 months'
  loop
    execute format('drop table %s', old);
    dropped := dropped + 1;
  end loop;
  return dropped;
exception when lock_not_available then
  return 0;
end $function$;
grant execute on function post_metric_expire() to parley_across;

CREATE OR REPLACE FUNCTION public.post_metric_month(of_day date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  first date := date_trunc('month', of_day);
  name text := 'post_metric_' || to_char(of_day, 'YYYY_MM');
begin
  if to_regclass('public.' || name) is not null then return; end if;
  if of_day not between (app_now() - interval '26 months')::date and (app_now() + interval '2 days')::date then
    raise exception 'No figures are kept of %', of_day;
  end if;
  perform pg_advisory_xact_lock(7063);
  if exists (select from pg_class where relname = name and relnamespace = 'public'::regnamespace) then return; end if;
  execute format('create table %I (like post_metric including all)', name);
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  execute format('alter table post_metric attach partition %I for values from (%L) to (%L)', name, first,
    first + interval '1 month');
end $function$;
grant execute on function post_metric_month(date) to parley_app;

CREATE OR REPLACE FUNCTION public.profile(person uuid)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select json_build_object('id', u.id, 'email', u.email, 'phone', u.phone, 'name', u.name, 'avatarUrl', u.avatar_url,
    'language', u.language, 'timezone', u.timezone, 'emailConfirmed', u.email_confirmed_at is not null,
    'phoneConfirmed', u.phone_confirmed_at is not null, 'onboardedAt', iso(u.onboarded_at),
    'isSuperAdmin', u.is_super_admin, 'defaultWorkspaceId', u.default_workspace_id,
    'workspaces', coalesce((
      select json_agg(json_build_object('id', w.id, 'name', w.name, 'role', m.role, 'plan', s.plan_id,
        'features', (select json_agg(feature_id order by feature_id) from plan_feature f where f.plan_id = s.plan_id))
        order by w.id)
      from member m join workspace w on w.id = m.workspace_id join subscription s on s.workspace_id = w.id
      where m.user_id = u.id and w.deleted_at is null), '[]'))
  from app_user u where u.id = person
$function$;
-- owner: parley_gate
grant execute on function profile(uuid) to parley_app;

CREATE OR REPLACE FUNCTION public.report_link_facts(token text, OUT workspace_id uuid, OUT id uuid)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select s.workspace_id, s.id from report_snapshot s join workspace w on w.id = s.workspace_id
  where s.token_hash = token and s.revoked_at is null and s.ends_at > app_now() and w.deleted_at is null
$function$;
-- owner: parley_gate
grant execute on function report_link_facts(text) to parley_app;

CREATE OR REPLACE FUNCTION public.require_standing(session uuid, person uuid, asked_workspace uuid, roles text[], needed text, as_operator boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform require_standing(session, person, asked_workspace, roles, needed, as_operator, '{}');
end $function$;
-- owner: parley_gate
grant execute on function require_standing(uuid,uuid,uuid,text[],text,boolean) to parley_admin;
grant execute on function require_standing(uuid,uuid,uuid,text[],text,boolean) to parley_app;

CREATE OR REPLACE FUNCTION public.require_standing(session uuid, person uuid, asked_workspace uuid, roles text[], needed text, as_operator boolean, features text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  facts record;
  missing text;
begin
  perform pg_advisory_xact_lock_shared(standing_key(session)), pg_advisory_xact_lock_shared(standing_key(person)),
    pg_advisory_xact_lock_shared(standing_key(asked_workspace)),
    pg_advisory_xact_lock_shared(standing_key(person, asked_workspace));
  select s.ended_at is not null as ended, u.disabled_at is not null as disabled, u.is_super_admin, m.role,
      case when features <> '{}' then array(select i.feature_id from subscription p join plan_feature i on i.plan_id = p.plan_id
        where p.workspace_id = asked_workspace and i.feature_id = any (features)) end as included into facts
    from session s join app_user u on u.id = s.user_id
    left join member m on m.user_id = u.id and m.workspace_id = asked_workspace
      and exists (select from workspace w where w.id = m.workspace_id and w.deleted_at is null)
    where s.id = session and s.user_id = person and s.expires_at > app_now();
  if facts.disabled then raise exception 'account_disabled' using errcode = 'PA002'; end if;
  if facts.ended is not false then raise exception 'session_revoked' using errcode = 'PA002'; end if;
  if as_operator and not facts.is_super_admin then raise exception 'super_admin_required' using errcode = 'PA002'; end if;
  if asked_workspace is null then return; end if;
  if facts.role is null then raise exception 'not_found' using errcode = 'PA002'; end if;
  if facts.role <> all(roles) then
    raise exception 'role_required' using errcode = 'PA002',
      detail = json_build_object('required', needed, 'actual', facts.role)::text;
  end if;
  if not features <@ facts.included then
    -- The first one that is missing, as the gate names it.
    select f.id into missing from unnest(features) with ordinality f(id, place)
      where f.id <> all (facts.included) order by f.place limit 1;
    raise exception 'feature_not_in_plan' using errcode = 'PA002',
      detail = json_build_object('feature', missing, 'plans', coalesce((select json_agg(p.id order by p.position)
        from plan p join plan_feature i on i.plan_id = p.id where i.feature_id = missing), '[]'))::text;
  end if;
end $function$;
-- owner: parley_gate
grant execute on function require_standing(uuid,uuid,uuid,text[],text,boolean,text[]) to parley_admin;
grant execute on function require_standing(uuid,uuid,uuid,text[],text,boolean,text[]) to parley_app;

CREATE OR REPLACE FUNCTION public.reserve_calls(app_key text, person text, wanted integer, keep integer, hourly integer, OUT granted timestamp with time zone, OUT until timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  at timestamptz := app_now();
  usr network_user;
  available int;
  used int;
begin
  insert into network_user (app, user_key) values (app_key, person) on conflict do nothing;
  select * into usr from network_user where app = app_key and user_key = person for update;
  if usr.blocked_until > at then
    until := usr.blocked_until;
    return;
  end if;
  available := hourly - keep;
  if usr.usage_limit_until > at then available := least(available, usr.usage_limit); end if;
  delete from network_call where app = app_key and user_key = person and minute < at - interval '2 hours';
  select coalesce(sum(calls), 0) into used from network_call
    where app = app_key and user_key = person and minute >= date_trunc('minute', at) - interval '60 minutes';
  if used + wanted <= available then
    granted := date_trunc('minute', at);
    insert into network_call values (app_key, person, granted, wanted)
      on conflict (app, user_key, minute) do update set calls = network_call.calls + wanted;
    return;
  end if;
  select minute + interval '61 minutes' into until from (
    select minute, sum(calls) over (order by minute) as freed from network_call
    where app = app_key and user_key = person and minute >= date_trunc('minute', at) - interval '60 minutes') oldest
    where used - freed + wanted <= available order by minute limit 1;
  if used + wanted <= hourly - keep then until := least(until, usr.usage_limit_until); end if;
  until := coalesce(until, usr.usage_limit_until, at + interval '1 minute');
end $function$;
grant execute on function reserve_calls(text,text,integer,integer,integer) to parley_across;

CREATE OR REPLACE FUNCTION public.review_link_facts(token text, OUT workspace_id uuid, OUT id uuid, OUT post_id uuid)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select l.workspace_id, l.id, l.post_id
  from review_link l join workspace w on w.id = l.workspace_id
  where l.token_hash = token and l.revoked_at is null and l.expires_at > app_now() and w.deleted_at is null
$function$;
-- owner: parley_gate
grant execute on function review_link_facts(text) to parley_app;

CREATE OR REPLACE FUNCTION public.standing_key(id uuid, of_workspace uuid DEFAULT NULL::uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
RETURN hashtextextended(((id)::text || COALESCE((of_workspace)::text, ''::text)), (7064)::bigint);
grant execute on function standing_key(uuid,uuid) to public;

CREATE OR REPLACE FUNCTION public.tenant_table(name regclass, grants text, owner_column text DEFAULT 'workspace_id'::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format($policy$create policy tenant on %s to parley_app
    using (%I = (select nullif(current_setting('app.workspace_id', true), '')::uuid))
    with check (%I = (select nullif(current_setting('app.workspace_id', true), '')::uuid))$policy$,
    name, owner_column, owner_column);
  execute format('grant %s on %s to parley_app', grants, name);
  perform across_table(name, 'select, delete', 'parley_eraser');
end $function$;
grant execute on function tenant_table(regclass,text,text) to public;

CREATE OR REPLACE FUNCTION public.thread_priority(urgency text, unanswered_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((CASE WHEN (unanswered_at IS NULL) THEN 0 ELSE CASE urgency WHEN 'CRITICAL'::text THEN 4 WHEN 'HIGH'::text THEN 3 WHEN 'MEDIUM'::text THEN 2 ELSE 1 END END * '100000000000000'::bigint) + CASE WHEN (unanswered_at IS NULL) THEN (0)::bigint ELSE ('99999999999999'::bigint - ((EXTRACT(epoch FROM (unanswered_at - '2000-01-01 00:00:00+00'::timestamp with time zone)) * (1000)::numeric))::bigint) END);
grant execute on function thread_priority(text,timestamp with time zone) to public;

CREATE OR REPLACE FUNCTION public.threads_found(words text, name_words tsquery)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 20
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  own text := nullif(current_setting('app.workspace_id', true), '');
  own_word tsquery := ('''w:' || own || '''')::tsquery;
  text_words tsquery := plainto_tsquery('simple', words);
  terms tsquery;
begin
  if own is null then return; end if;
  if numnode(text_words) > 0 then
    -- A vector of one word is that word as a query quotes it.
    select string_agg(array_to_tsvector(array[term])::text, ' & ')::tsquery into terms
    from unnest(tsvector_to_array(message_terms(own::uuid,
      to_tsvector('simple', words) || array_to_tsvector(array['w:' || own])))) term;
    return query select m.thread_id from message m where message_terms(m.workspace_id, m.tsv) @@ terms and m.tsv @@ text_words
      and m.direction <> 'INTERNAL' and m.is_intended and m.workspace_id::text = own;
  end if;
  if numnode(name_words) > 0 then
    return query select t.id from audience_node n
      join audience_identity i on i.workspace_id = n.workspace_id and i.node_id = n.id
      join thread t on t.workspace_id = i.workspace_id and t.identity_id = i.id
      where n.words @@ (name_words && own_word) and n.workspace_id::text = own;
    return query select t.id from audience_identity i join thread t on t.workspace_id = i.workspace_id and t.identity_id = i.id
      where i.words @@ (name_words && own_word) and i.workspace_id::text = own;
  end if;
end $function$;
-- owner: parley_gate
grant execute on function threads_found(text,tsquery) to parley_app;

CREATE OR REPLACE FUNCTION public.usage_period(workspace uuid, quota_kind text, zone text)
 RETURNS date
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if quota_kind = 'stock' then return date '0001-01-01'; end if;
  return greatest(date_trunc('month', app_now() at time zone zone)::date,
    (select max(u.period) from workspace_usage u where u.workspace_id = workspace));
end $function$;
-- owner: parley_gate
grant execute on function usage_period(uuid,text,text) to parley_admin;
grant execute on function usage_period(uuid,text,text) to parley_app;

CREATE OR REPLACE FUNCTION public.warmth(heat double precision, heat_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (heat > (0)::double precision) THEN GREATEST((0)::bigint, ((((ln(heat) / ln((2)::double precision)) + ((EXTRACT(epoch FROM (heat_at - '2000-01-01 00:00:00+00'::timestamp with time zone)))::double precision / (2592000)::double precision)) * (1000000000)::double precision))::bigint) ELSE (0)::bigint END;
grant execute on function warmth(double precision,timestamp with time zone) to public;
