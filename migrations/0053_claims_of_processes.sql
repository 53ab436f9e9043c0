-- The process that holds a claim on an Idempotency-Key. It proves that it lives by an advisory lock on this name.
alter table idempotency_key add holder text;
