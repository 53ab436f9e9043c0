-- Files that come in pieces. Their bytes lie outside the storage, by the id of the row, until the last one is there.
create table media_upload (
  workspace_id uuid references workspace,
  id uuid,
  created_by uuid not null references app_user on delete cascade,
  file_name text not null,
  declared_type text not null,
  size bigint not null check (size > 0),
  -- What became of it, once it is whole.
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

-- Whether a row names a key is asked over all workspaces by who removes what no row names.
create index media_file_original on media_file (original_key);
create index media_file_served on media_file (storage_key);
create index media_file_thumbnail on media_file (thumbnail_key);
create index media_rendition_key on media_rendition (storage_key);
