-- Files of messages. Those of customers are kept privately, since a network's address of them expires; those that we send are
-- files of the library.
alter table message_attachment
  add storage_key text,
  add content_type text,
  add size bigint,
  drop constraint message_attachment_workspace_id_media_file_id_fkey,
  add foreign key (workspace_id, media_file_id) references media_file on delete set null (media_file_id);
create index message_attachment_storage on message_attachment (storage_key) where storage_key is not null;
create index message_attachment_media on message_attachment (workspace_id, media_file_id) where media_file_id is not null;
select across_table('message_attachment', 'select'); -- a claim reads the picture of an answer, the clean-up which files have a row
