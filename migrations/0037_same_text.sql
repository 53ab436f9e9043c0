-- What a target would show, made alike and hashed: the same text to one account again is warned of.
alter table publication add column text_key text;
create index publication_text on publication (workspace_id, account_id, text_key) where text_key is not null;
