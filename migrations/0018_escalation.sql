-- Rules by which a customer's message escalates its thread: who gets it, and who is told.
create table escalation_rule (
  workspace_id uuid references workspace,
  id uuid,
  position int not null,
  keywords text[] not null default '{}',
  intents text[] not null default '{}',
  urgency text check (urgency in ('LOW', 'MEDIUM', 'HIGH', 'CRITICAL')),
  sentiment text check (sentiment in ('positive', 'neutral', 'negative')),
  assign_to_role text check (assign_to_role in ('OWNER', 'ADMIN', 'EDITOR')),
  notify_roles text[] not null default '{}',
  version int not null default 1,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (workspace_id, id)
);
select tenant_table('escalation_rule', 'select, insert, update, delete');
