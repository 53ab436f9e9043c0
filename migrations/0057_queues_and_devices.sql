-- The console of the operators counts and lists failures. Neither column changes, so other updates stay cheap.
create index delivery_failed on delivery (kind, id) where state in ('FAILED', 'UNCONFIRMED');

-- Which sessions are still live.
grant select (issued_at, expires_at) on session to parley_admin;
