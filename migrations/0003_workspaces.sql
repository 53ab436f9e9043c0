create table plan (
  id text primary key,
  position int not null unique
);
create table feature (
  id text primary key
);
create table plan_feature (
  plan_id text references plan,
  feature_id text references feature,
  primary key (plan_id, feature_id)
);
-- A null limit is unlimited. A monthly quota starts anew each calendar month; a stock is what exists now.
create table quota (
  id text primary key,
  kind text not null check (kind in ('monthly', 'stock'))
);
create table plan_quota (
  plan_id text references plan,
  quota_id text references quota,
  amount bigint check (amount >= 0),
  primary key (plan_id, quota_id)
);

insert into plan values ('free', 1), ('pro', 2), ('business', 3);
insert into feature values ('publishing'), ('approvals'), ('ai_content'), ('ai_suggestions'), ('auto_reply'), ('analytics'),
  ('audience'), ('ecommerce'), ('competitors'), ('ab_testing'), ('predictions'), ('workflows'), ('api_access');
insert into plan_feature select 'free', id from feature where id in ('publishing', 'analytics', 'ai_content');
insert into plan_feature select plan.id, feature.id from plan, feature where plan.id in ('pro', 'business');
insert into quota values ('posts', 'monthly'), ('ai_credits', 'monthly'), ('ai_generations', 'monthly'),
  ('social_accounts', 'stock'), ('members', 'stock'), ('media_bytes', 'stock');
insert into plan_quota values
  ('free', 'posts', 30), ('free', 'ai_credits', 20), ('free', 'ai_generations', 20),
  ('free', 'social_accounts', 3), ('free', 'members', 3), ('free', 'media_bytes', 1073741824),
  ('pro', 'posts', 1000), ('pro', 'ai_credits', 2000), ('pro', 'ai_generations', 2000),
  ('pro', 'social_accounts', 25), ('pro', 'members', 25), ('pro', 'media_bytes', 53687091200),
  ('business', 'posts', null), ('business', 'ai_credits', 20000), ('business', 'ai_generations', 20000),
  ('business', 'social_accounts', null), ('business', 'members', null), ('business', 'media_bytes', 536870912000);
grant select on plan, feature, plan_feature, quota, plan_quota to parley_app, parley_across, parley_gate;
grant select on app_user, session to parley_gate;

create table workspace (
  id uuid primary key,
  name text not null,
  timezone text not null,
  week_start text not null default 'monday' check (week_start in ('monday', 'sunday', 'saturday')),
  language text not null default 'en',
  niche text,
  approval_mode text not null default 'optional'
    check (approval_mode in ('none', 'optional', 'required', 'required_with_client')),
  publishing_paused_at timestamptz,
  publishing_paused_reason text,
  bot_paused_at timestamptz,
  bot_paused_reason text,
  version int not null default 1,
  created_by uuid references app_user on delete set null,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  deleted_at timestamptz
);
select across_table('workspace', 'select', 'parley_gate');
select tenant_table('workspace', 'select, insert, update', 'id');
select across_table('workspace', 'select');

create table member (
  workspace_id uuid references workspace,
  user_id uuid references app_user on delete cascade,
  role text not null check (role in ('OWNER', 'ADMIN', 'EDITOR', 'VIEWER', 'CLIENT')),
  joined_at timestamptz not null default app_now(),
  primary key (workspace_id, user_id)
);
create unique index member_one_owner on member (workspace_id) where role = 'OWNER';
create index member_user on member (user_id);
select across_table('member', 'select', 'parley_gate');
select tenant_table('member', 'select, insert, update, delete');

create table subscription (
  workspace_id uuid primary key references workspace,
  plan_id text not null references plan,
  status text not null default 'active' check (status in ('active')),
  updated_at timestamptz not null default app_now()
);
select across_table('subscription', 'select', 'parley_gate');
select tenant_table('subscription', 'select, insert, update');

-- What was used of a quota. `period` is the first day of the month, or 0001-01-01 for a stock. A workspace that changes its
-- zone keeps the latest period that it has seen, so that no month is counted out twice.
create table workspace_usage (
  workspace_id uuid references workspace,
  quota_id text references quota,
  period date not null,
  used bigint not null default 0 check (used >= 0),
  primary key (workspace_id, quota_id, period)
);
select across_table('workspace_usage', 'select', 'parley_gate');
select tenant_table('workspace_usage', 'select, insert, update');

-- A reservation whose operation is under way. It counts as used until `expires_at`, so what a crash leaves behind is given
-- back by time alone.
create table usage_hold (
  workspace_id uuid references workspace,
  id uuid,
  quota_id text not null references quota,
  period date not null,
  amount bigint not null check (amount >= 0),
  expires_at timestamptz not null,
  primary key (workspace_id, id)
);
create index usage_hold_quota on usage_hold (workspace_id, quota_id, period, expires_at);
select tenant_table('usage_hold', 'select, insert, delete');
select across_table('usage_hold', 'select', 'parley_gate');

create table audit_entry (
  workspace_id uuid references workspace,
  id uuid,
  at timestamptz not null default app_now(),
  actor_kind text not null check (actor_kind in ('user', 'system')),
  actor_id uuid,
  action text not null,
  object jsonb not null,
  detail jsonb not null default '{}',
  ip text,
  request_id text,
  primary key (workspace_id, id)
);
select tenant_table('audit_entry', 'insert');
grant select on audit_entry to parley_app;

-- The period in which a workspace now counts a quota.
create function usage_period(workspace uuid, quota_kind text, zone text) returns date language sql stable as $$
  select case when quota_kind = 'stock' then date '0001-01-01'
    else greatest(date_trunc('month', app_now() at time zone zone)::date,
                  (select max(period) from workspace_usage where workspace_id = workspace)) end
$$;

-- Everything that a request's gate must know, in one trip: the session and its user, and in the workspace asked for (else
-- the user's default) the role, the plan's features, and where asked the quota with its use. The only read of tenants
-- outside a scope. No row: the session does not live. A null role: not a member of a living workspace.
create function member_facts(person uuid, asked_workspace uuid, asked_quota text, out user_id uuid, out disabled boolean,
  out is_super_admin boolean, out email_confirmed boolean, out workspace_id uuid, out role text, out plan text,
  out features text[], out quota_limit bigint, out quota_used bigint, out quota_resets_at timestamptz)
returns setof record language sql stable security definer set search_path = public as $$
  select u.id, u.disabled_at is not null, u.is_super_admin, u.email_confirmed_at is not null or u.phone_confirmed_at is not null,
    m.workspace_id, m.role, sub.plan_id,
    (select array_agg(feature_id) from plan_feature f where f.plan_id = sub.plan_id),
    pq.amount, coalesce(used.used, 0) + coalesce((select sum(amount) from usage_hold h where h.workspace_id = m.workspace_id
      and h.quota_id = q.id and h.period = period.start and h.expires_at > app_now()), 0)::bigint,
    case when q.kind = 'monthly' then ((period.start + interval '1 month')::timestamp at time zone w.timezone) end
  from app_user u
  left join member m on m.user_id = u.id and m.workspace_id = coalesce(asked_workspace, u.default_workspace_id)
    and exists (select from workspace x where x.id = m.workspace_id and x.deleted_at is null)
  left join workspace w on w.id = m.workspace_id
  left join subscription sub on sub.workspace_id = m.workspace_id
  left join quota q on q.id = asked_quota
  left join plan_quota pq on pq.plan_id = sub.plan_id and pq.quota_id = q.id
  left join lateral (select usage_period(m.workspace_id, q.kind, w.timezone) as start where q.id is not null) period on true
  left join workspace_usage used on used.workspace_id = m.workspace_id and used.quota_id = q.id and used.period = period.start
  where u.id = person
$$;
alter function member_facts(uuid, uuid, text) owner to parley_gate;
revoke all on function member_facts(uuid, uuid, text) from public;
grant execute on function member_facts(uuid, uuid, text) to parley_across;

create function gate_facts(session uuid, asked_workspace uuid, asked_quota text, out user_id uuid, out disabled boolean,
  out is_super_admin boolean, out email_confirmed boolean, out workspace_id uuid, out role text, out plan text,
  out features text[], out quota_limit bigint, out quota_used bigint, out quota_resets_at timestamptz)
returns setof record language sql stable security definer set search_path = public as $$
  select f.* from session s, lateral member_facts(s.user_id, asked_workspace, asked_quota) f
  where s.id = session and s.ended_at is null and s.expires_at > app_now()
$$;
alter function gate_facts(uuid, uuid, text) owner to parley_gate;
revoke all on function gate_facts(uuid, uuid, text) from public;
grant execute on function gate_facts(uuid, uuid, text) to parley_across;

-- Somebody's own profile with the workspaces that they belong to, as the API answers it.
create function profile(person uuid) returns json language sql stable security definer set search_path = public as $$
  select json_build_object('id', u.id, 'email', u.email, 'phone', u.phone, 'name', u.name, 'avatarUrl', u.avatar_url,
    'language', u.language, 'timezone', u.timezone, 'emailConfirmed', u.email_confirmed_at is not null,
    'phoneConfirmed', u.phone_confirmed_at is not null, 'onboardedAt', iso(u.onboarded_at),
    'isSuperAdmin', u.is_super_admin, 'defaultWorkspaceId', u.default_workspace_id,
    'workspaces', coalesce((
      select json_agg(json_build_object('id', w.id, 'name', w.name, 'role', m.role, 'plan', s.plan_id,
        'features', (select json_agg(feature_id order by feature_id) from plan_feature f where f.plan_id = s.plan_id))
        order by w.id)
      from member m join workspace w on w.id = m.workspace_id join subscription s on s.workspace_id = w.id
      where m.user_id = u.id and w.deleted_at is null), '[]'))
  from app_user u where u.id = person
$$;
alter function profile(uuid) owner to parley_gate;
revoke all on function profile(uuid) from public;
grant execute on function profile(uuid) to parley_app;
revoke create on schema public from parley_gate;
