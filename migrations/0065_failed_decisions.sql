-- How often a decision began and did not end. After a few times it is left to people.
alter table decision add failures int not null default 0;
