-- What becomes, when publishing is resumed, of what was due while it was paused: it goes out late, or is a draft again.
alter table workspace add column publishing_on_resume text not null default 'send'
  constraint workspace_publishing_on_resume_check check (publishing_on_resume in ('send', 'draft'));
