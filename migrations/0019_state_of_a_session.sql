-- Who leaves to join an identity or to connect an account comes back to the session that they left: ended meanwhile, it joins
-- nothing any more.
delete from oauth_state;
alter table oauth_state add column session_id uuid references session on delete cascade,
  add check ((user_id is null) = (session_id is null));
