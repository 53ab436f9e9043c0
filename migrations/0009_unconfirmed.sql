-- What waits for a person's word is counted for the operator, however many posts there are.
create index publication_unconfirmed on publication (workspace_id) where state = 'UNCONFIRMED';
