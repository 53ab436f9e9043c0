-- Notices that have been read, or were mailed alone, by when: after a while they go.
create index notification_over on notification (coalesce(read_at, created_at)) where read_at is not null or not in_app;
