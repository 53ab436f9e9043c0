import { useInfiniteQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { OperatorEntry } from '../../../src/admin/api.ts'
import { useMaybe } from '../../i18n.tsx'
import { Empty } from '../../ui/empty.tsx'
import { More } from '../../ui/more.tsx'
import { SelectField } from '../../ui/select.tsx'
import { Body, Seen, useWhen } from './parts.tsx'
import { adminAuditQuery } from './queries.ts'

type Kind = 'changes' | 'reads'

/** The audit log of operators: their actions and reads. */
export function AdminAuditScreen() {
  const t = useTranslations('admin')
  const [kind, setKind] = useState<Kind | ''>('changes')
  const query = useInfiniteQuery(adminAuditQuery(kind || undefined))
  return (
    <Body>
      <p className="text-13 text-muted">{t('auditLead')}</p>
      <div className="justify-self-start">
        <SelectField
          label={t('what')}
          className="min-w-44"
          value={kind}
          options={[
            ['changes', t('changes')],
            ['reads', t('reads')],
            ['', t('all')],
          ]}
          onChange={setKind}
        />
      </div>
      <Seen query={query}>
        {({ pages }) => {
          const entries = pages.flatMap(({ data }) => data)
          if (entries.length === 0) return <Empty icon={ScrollText} title={t('nothingDone')} />
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
      </Seen>
    </Body>
  )
}

function Line({ entry }: { entry: OperatorEntry }) {
  const t = useTranslations('admin')
  const maybe = useMaybe()
  const when = useWhen()
  const facts = Object.entries({ ...entry.object, ...entry.detail })
  return (
    <li className="grid gap-0.5 px-4 py-2.5 text-13">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium break-words">
          {maybe(`admin.actions.${entry.action.replace(/^admin\./, '')}`, entry.action)}
        </span>
        <bdi className="min-w-0 break-all text-muted">{entry.actor.name || entry.actor.email || t('byCommand')}</bdi>
      </div>
      {facts.length > 0 && (
        <p dir="ltr" className="font-mono text-xs break-all text-muted [text-align:match-parent]">
          {facts
            .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
            .join(' · ')}
        </p>
      )}
      <p className="flex flex-wrap gap-x-3 text-xs text-muted">
        <time dateTime={entry.at}>{when(entry.at, true)}</time>
        {entry.ip && <bdi dir="ltr">{entry.ip}</bdi>}
      </p>
    </li>
  )
}
