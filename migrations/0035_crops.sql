-- What of a picture a network is given, where somebody chose: {"NET_PHOTO": {"x", "y", "width", "height"}}, in pixels of the
-- upright picture.
alter table post_media add column crops jsonb not null default '{}';

-- The pictures for such choices, by whose demands they fulfil. One without a key is still to be made; posts that choose the
-- same have the same.
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
