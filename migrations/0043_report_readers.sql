-- Whether clients may see a snapshot: what its report said when it was made. Of earlier ones it is what the report says now.
alter table report_snapshot add column for_clients boolean not null default false;
update report_snapshot s set for_clients = r.for_clients from report r
  where r.workspace_id = s.workspace_id and r.id = s.report_id;
alter table report_snapshot alter column for_clients drop default;

-- `not_a_reader`: the member no longer gets the report, or is a client and it is not for clients.
alter table report_mail drop constraint report_mail_error_check,
  add constraint report_mail_error_check
    check (error in ('no_mail_server', 'no_address', 'not_taken', 'link_ended', 'not_a_reader'));
