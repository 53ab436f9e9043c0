-- A file that is deleted while the history of a post still needs its row: nobody else sees it.
alter table media_file add deleted_at timestamptz;
update media_file set deleted_at = updated_at, rejected_reason = 'It was deleted.' where rejected_reason = 'deleted';
alter table media_file add check (deleted_at is null or state = 'REJECTED');
