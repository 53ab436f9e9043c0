-- What a person found in a reply that the bot has sent. Only a sample is checked: about 5 %, by the hash of the id.
alter table decision add checked_at timestamptz,
  add checked_by uuid references app_user on delete set null,
  add check_flag text check (check_flag in ('wrong', 'unsafe', 'off-brand')),
  add check (check_flag is null or checked_at is not null);
create index decision_to_check on decision (workspace_id, id) where kind = 'bot' and verdict = 'SENT' and reply is not null
  and get_byte(sha256(uuid_send(id)), 0) < 13 and checked_at is null;
create index decision_checked on decision (workspace_id, checked_at) where checked_at is not null;
create index decision_checker on decision (checked_by) where checked_by is not null;
