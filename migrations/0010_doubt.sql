-- When a publication was first about to be sent since it was set up: what the network has may be of any try from then on.
alter table publication add column first_intent_at timestamptz;
update publication set first_intent_at = intent_at where state <> 'PUBLISHED';

-- The same account of a network in several workspaces: what one of them sent is not the other's.
create index social_account_external on social_account (platform, external_id);
