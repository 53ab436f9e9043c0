-- When the posts of an account were last listed at the network, also those made elsewhere. `found_after`: where the first list of
-- all of them goes on.
alter table account_sync add found_at timestamptz, add found_after text;
