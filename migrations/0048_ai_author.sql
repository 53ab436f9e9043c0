-- Who asked may leave; what they asked stays, as with everything that people make. Until now nobody was ever removed.
alter table ai_generation add foreign key (created_by) references app_user (id) on delete set null;
