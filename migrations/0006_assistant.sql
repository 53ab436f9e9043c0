-- Brand voices, calls of the language model with their cost, and ideas.

-- How a brand speaks. At most one is the default of its workspace.
create table brand_voice (
  workspace_id uuid references workspace,
  id uuid,
  name text not null,
  tone_attributes text[] not null default '{}',
  vocabulary jsonb not null default '{"terms": [], "phrases": [], "avoid": []}',
  writing_style text not null default '',
  sample_posts text[] not null default '{}',
  is_default boolean not null default false,
  version int not null default 1,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id)
);
create unique index brand_voice_name on brand_voice (workspace_id, lower(name));
create unique index brand_voice_default on brand_voice (workspace_id) where is_default;
select tenant_table('brand_voice', 'select, insert, update, delete');

-- A request to the model and its result. Its reservations end with it. The process that runs it extends `leased_until` again and
-- again. The person who asked may leave; the row stays, as with everything that people make.
create table ai_generation (
  workspace_id uuid references workspace,
  id uuid,
  kind text not null
    check (kind in ('caption', 'rewrite', 'hashtags', 'cta', 'translate', 'image', 'suggestions', 'voice')),
  status text not null default 'QUEUED' check (status in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  input jsonb not null,
  asked int not null,
  options jsonb not null default '[]',
  dropped jsonb not null default '[]',
  media_file_id uuid,
  voice jsonb,
  applied boolean,
  error jsonb,
  credits int not null,
  brand_voice_id uuid,
  post_id uuid,
  accepted_option int,
  accepted_post_id uuid,
  model text,
  input_tokens int,
  output_tokens int,
  credit_hold uuid,
  generation_hold uuid,
  created_by uuid references app_user on delete set null,
  created_at timestamptz not null default app_now(),
  started_at timestamptz,
  ended_at timestamptz,
  leased_until timestamptz,
  -- The brand voice as it was when the person asked.
  told_voice jsonb,
  primary key (workspace_id, id),
  foreign key (workspace_id, media_file_id) references media_file on delete set null (media_file_id),
  foreign key (workspace_id, brand_voice_id) references brand_voice on delete set null (brand_voice_id),
  foreign key (workspace_id, post_id) references post on delete set null (post_id),
  foreign key (workspace_id, accepted_post_id) references post on delete set null (accepted_post_id),
  check ((status in ('QUEUED', 'RUNNING')) = (ended_at is null))
);
create index ai_generation_open on ai_generation (workspace_id, id) where status in ('QUEUED', 'RUNNING');
create index ai_generation_created on ai_generation (workspace_id, created_at desc, id desc);
create index ai_generation_post on ai_generation (workspace_id, post_id);
create index ai_generation_accepted on ai_generation (workspace_id, accepted_post_id);
create index ai_generation_media on ai_generation (workspace_id, media_file_id);
create index ai_generation_voice on ai_generation (workspace_id, brand_voice_id);
select tenant_table('ai_generation', 'select, insert, update');
select across_table('ai_generation', 'select (workspace_id, status)'); -- a process looks for workspaces with open requests

-- The cost of AI, never changed: the sum in a period is the use of ai_credits, the number of rows that of ai_generations.
create table credit_entry (
  workspace_id uuid references workspace,
  id uuid,
  generation_id uuid not null,
  period date not null,
  credits int not null check (credits > 0),
  at timestamptz not null default app_now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, generation_id) references ai_generation
);
create unique index credit_entry_generation on credit_entry (workspace_id, generation_id);
create index credit_entry_period on credit_entry (workspace_id, period);
select tenant_table('credit_entry', 'select, insert');

-- Ideas for the next posts, as they were prepared last.
create table ai_suggestion (
  workspace_id uuid references workspace,
  id uuid,
  kind text not null check (kind in ('topic', 'gap', 'repost', 'hashtag', 'time')),
  title text not null,
  reason text not null,
  brief jsonb not null,
  score real not null,
  made_at timestamptz not null default app_now(),
  -- The time that an idea about an empty day or a good time to post proposes.
  scheduled_at timestamptz,
  primary key (workspace_id, id)
);
select tenant_table('ai_suggestion', 'select, insert, delete');

-- The subject of a post that was made with AI. `caption_hash` names the caption that the tags describe.
create table post_tags (
  workspace_id uuid references workspace,
  post_id uuid,
  topic text not null,
  format text not null check (format in ('text', 'picture', 'carousel', 'video')),
  tone text not null,
  tagged_at timestamptz not null default app_now(),
  caption_hash bytea,
  primary key (workspace_id, post_id),
  foreign key (workspace_id, post_id) references post
);
select tenant_table('post_tags', 'select, insert, update');
