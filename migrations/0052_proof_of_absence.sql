-- What a proof of absence needs beside our own clock, and what an outcome leaves open for the next try.

alter table publication
  -- The network's clock when the earliest try was about to be made.
  add network_at timestamptz,
  -- The latest try was answered by a bare 429: proven absent, it goes out again from then on, and is no failure.
  add limited_until timestamptz,
  -- It was UNCONFIRMED once: the network is read before it is sent again.
  add unproven boolean not null default false;

update publication set unproven = true where state = 'UNCONFIRMED' or error ->> 'code' = 'not_live';

alter table first_comment
  add network_at timestamptz,
  add limited_until timestamptz,
  add backoffs int not null default 0;
