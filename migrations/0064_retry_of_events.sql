-- An event that could not be applied is not retried before this time.
alter table inbound_event add retry_at timestamptz;
