-- Nonce and verifier of a sign-in are made of the browser's own secret: nothing of them is kept.
alter table oauth_state drop column nonce, drop column code_verifier;
