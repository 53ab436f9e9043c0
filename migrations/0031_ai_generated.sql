-- Made by AI: networks that demand it are told, and people see it.
alter table media_file add column ai_generated boolean not null default false;
