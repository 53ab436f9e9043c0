-- Tokens that are renewed: the longer-lived one is sealed like the others. Whoever renews holds `refreshing_until`, so that a
-- rotating token is used once.
alter table social_account
  add refresh_token text,
  add refresh_expires_at timestamptz,
  add refreshing_until timestamptz,
  add check (status <> 'DISCONNECTED' or refresh_token is null);

-- What a network has accepted is processed there: since when, and since when it could not be read.
alter table publication
  add accepted_at timestamptz,
  add unread_since timestamptz;

-- Facts of a video that networks look at.
alter table media_file
  add codec text,
  add frame_rate double precision;

-- What a network gets instead of the served file, where it takes that one only otherwise: another format, size or ratio.
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
select tenant_table('media_rendition', 'select, insert, update, delete');
select across_table('media_rendition', 'select');
