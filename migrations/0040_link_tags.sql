-- The parameters that links get when they are posted: what a workspace puts in, and what a post wants of its own.
alter table workspace add column link_tags jsonb not null
  default '{"on": false, "source": "{network}", "medium": "social", "campaign": ""}';
alter table post add column link_tags jsonb not null default '{"on": null, "campaign": null}';
