import { useInfiniteQuery } from '@tanstack/react-query'
import { Download, ScrollText } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import type { AuditEntry } from '../../../../src/team/audit/api.ts'
import { useDownload } from '../../../download.ts'
import { useMaybe } from '../../../i18n.tsx'
import { NETWORKS } from '../../../labels.ts'
import { addDays, DAY_TIME, instantOf } from '../../../time.ts'
import { Button } from '../../../ui/button.tsx'
import { DateField } from '../../../ui/date-field.tsx'
import { More } from '../../../ui/more.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { auditQuery } from './queries.ts'

/** The groups of actions, each by the first part of its name. */
const GROUPS = [
  'post',
  'publication',
  'first_comment',
  'removal',
  'approval',
  'comment',
  'review_link',
  'media',
  'account',
  'workspace',
  'member',
  'invitation',
  'ownership',
  'subscription',
] as const

interface Filter {
  action: string
  from: string
  to: string
}

const NONE: Filter = { action: '', from: '', to: '' }

/** The audit history of the workspace: actions with person and time. */
export function AuditScreen() {
  const t = useTranslations('audit')
  const { ws, workspace, membership } = usePlace()
  const [filter, setFilter] = useState(NONE)
  const refused = refusal(membership, 'listAudit')
  const wanted = {
    action: filter.action || undefined,
    from: filter.from ? instantOf(`${filter.from}T00:00`, workspace.timezone).toISOString() : undefined,
    to: filter.to ? instantOf(`${addDays(filter.to, 1)}T00:00`, workspace.timezone).toISOString() : undefined,
  }
  const query = useInfiniteQuery({ ...auditQuery(ws, wanted), enabled: !refused })
  if (refused) return <Refused refused={refused} />
  const filtered = Object.values(filter).some(Boolean)
  return (
    <div className="settings-column gap-4">
      <p className="text-13 text-muted">{t('lead')}</p>
      <div className="flex flex-wrap items-end gap-3">
        <SelectField
          label={t('what')}
          className="min-w-44"
          value={filter.action}
          options={[['', t('everything')], ...GROUPS.map((group) => [group, t(`groups.${group}`)] as const)]}
          onChange={(action) => setFilter({ ...filter, action })}
        />
        <DateField
          label={t('from')}
          none={t('anyDate')}
          place={workspace}
          value={filter.from}
          max={filter.to || undefined}
          onChange={(from) => setFilter({ ...filter, from })}
        />
        <DateField
          label={t('to')}
          none={t('anyDate')}
          place={workspace}
          value={filter.to}
          min={filter.from || undefined}
          onChange={(to) => setFilter({ ...filter, to })}
        />
        <Export filter={wanted} />
      </div>
      <Loaded query={query} skeleton={<div className="skeleton h-64" aria-hidden />}>
        {({ pages }) => {
          const entries = pages.flatMap(({ data }) => data)
          if (entries.length === 0)
            return (
              <Empty
                icon={ScrollText}
                title={filtered ? t('noneMatch') : t('none')}
                actions={filtered && <Button onClick={() => setFilter(NONE)}>{t('clear')}</Button>}
              />
            )
          return (
            <>
              <ul className="card grid grid-cols-[minmax(0,1fr)] divide-y">
                {entries.map((entry) => (
                  <Line key={entry.id} entry={entry} />
                ))}
              </ul>
              <More query={query} label={t('more')} />
            </>
          )
        }}
      </Loaded>
    </div>
  )
}

/** The history records a delivery that a person stopped as failed with code `stopped`. */
const actionOf = ({ action, detail }: AuditEntry) =>
  action === 'publication.failed' && detail['code'] === 'stopped' ? 'publication.stopped' : action

/** The name of the review link through which a person without an account acted; null for other entries. */
const linkOf = ({ actor, detail }: AuditEntry) =>
  actor.kind === 'system' && typeof detail['link'] === 'string' ? detail['link'] : null

const isBy = (by: unknown): by is 'bot' | 'network' => by === 'bot' || by === 'network'

function Line({ entry }: { entry: AuditEntry }) {
  const t = useTranslations('audit')
  const maybe = useMaybe()
  const format = useFormatter()
  const { workspace } = usePlace()
  const link = linkOf(entry)
  const details = useDetails(entry)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-0.5 px-4 py-2.5 text-13">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium break-words">{maybe(`audit.actions.${actionOf(entry)}`, entry.action)}</span>
        <span className="text-muted">
          <bdi>
            {link !== null
              ? t('byLink', { name: link })
              : entry.actor.kind === 'system'
                ? t(isBy(entry.detail['by']) ? `by.${entry.detail['by']}` : 'system')
                : entry.actor.name || entry.actor.email || t('unnamed')}
          </bdi>
        </span>
      </div>
      {details.length > 0 && (
        <p className="flex flex-wrap gap-x-3 break-words text-muted">
          {details.map((detail) => (
            <bdi key={detail} className="min-w-0">
              {detail}
            </bdi>
          ))}
        </p>
      )}
      <p className="flex flex-wrap gap-x-3 text-xs text-muted">
        <time dateTime={entry.at}>
          {format.dateTime(new Date(entry.at), {
            ...DAY_TIME,
            second: '2-digit',
            timeZone: workspace.timezone,
          })}
        </time>
        {entry.ip && <bdi dir="ltr">{entry.ip}</bdi>}
      </p>
    </li>
  )
}

/** The subject and the changes of an entry, as text. Details without a translation appear only in the CSV. */
function useDetails({ action, object, person, subject, accounts, detail }: AuditEntry): string[] {
  const t = useTranslations('audit')
  const maybe = useMaybe()
  const format = useFormatter()
  const { workspace } = usePlace()
  const text = (key: string) => (typeof detail[key] === 'string' ? detail[key] : undefined)
  const named = (key: string) => {
    const value = text(key)
    if (value === undefined) return undefined
    return maybe(action === 'subscription.changed' ? `states.plans.${value}` : `states.roles.${value}`, value)
  }
  const [from, to, role, at, platform] = [named('from'), named('to'), named('role'), text('at'), text('platform')]
  const fields = Array.isArray(detail['fields']) ? detail['fields'].map(String) : []
  return [
    subject !== null && object['accountId'] === undefined && `“${subject}”`,
    ...accounts.map(({ name, platform: network }) => `${name} · ${NETWORKS[network].name}`),
    object['userId'] !== undefined && person !== null && (person || t('unnamed')),
    text('email'),
    role,
    from !== undefined && to !== undefined && t('fromTo', { from, to }),
    platform !== undefined && accounts.length === 0 && (NETWORKS[platform as Platform]?.name ?? platform),
    subject === null && text('fileName'),
    text('name'),
    at !== undefined && format.dateTime(new Date(at), { ...DAY_TIME, timeZone: workspace.timezone }),
    fields.length > 0 && format.list(fields.map((field) => maybe(`audit.fields.${field}`, field))),
  ].filter((one) => typeof one === 'string' && one !== '') as string[]
}

function Export({
  filter,
}: {
  filter: { action?: string | undefined; from?: string | undefined; to?: string | undefined }
}) {
  const t = useTranslations('audit')
  const { ws } = usePlace()
  const save = useDownload(ws, 'exportAudit', filter, 'audit.csv')
  return (
    <Button onClick={() => save.mutate()} busy={save.isPending}>
      <Download className="size-4" aria-hidden />
      {t('export')}
    </Button>
  )
}
