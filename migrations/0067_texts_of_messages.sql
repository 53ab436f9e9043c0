-- The message whose text an event has. When a customer removes a message, its texts are found by this column: row security
-- lets no search by an expression of the event use an index.
alter table inbound_event add text_of text generated always as (case when event ? 'text' then event ->> 'id' end) stored;
create index inbound_event_texts on inbound_event (workspace_id, account_id, text_of) where text_of is not null;
