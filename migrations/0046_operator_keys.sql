-- What a key answers while its effect goes on is kept for operators' requests as for all others.
grant update (status, headers) on idempotency_key to parley_admin;
