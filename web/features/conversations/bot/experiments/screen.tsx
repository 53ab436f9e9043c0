import { useQuery } from '@tanstack/react-query'
import { CircleCheck, FlaskConical, Pause, Play, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { ReplyExperiment } from '../../../../../src/conversations/experiments/api.ts'
import { Button } from '../../../../ui/button.tsx'
import { Confirm } from '../../../../ui/dialog.tsx'
import { lazy } from '../../../../ui/part.tsx'
import { Pill } from '../../../../ui/pill.tsx'
import { RowActs, Rows } from '../../../../ui/row.tsx'
import { Refused } from '../../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../../shell/workspace.tsx'
import { SettingsList } from '../../../team/settings/settings-list.tsx'
import { experimentsQuery } from '../queries.ts'
import { useExperiments } from './use-experiments.ts'

const ExperimentDialog = lazy(() => import('./dialog.tsx'))

/** The experiments, which compare ways to reply. */
export function ExperimentsScreen() {
  const { membership } = usePlace()
  const refused = refusal(membership, 'listExperiments')
  return refused ? <Refused refused={refused} /> : <Experiments />
}

const STATES = {
  RUNNING: [Play, 'bg-ok-soft text-ok'],
  STOPPED: [Pause, 'bg-sunken text-muted'],
  DECIDED: [CircleCheck, 'bg-accent-soft text-accent-text'],
} as const

function Experiments() {
  const t = useTranslations('bot.experiments')
  const { ws } = usePlace()
  const may = useMay('createExperiment')
  const query = useQuery(experimentsQuery(ws))
  const { turn, remove } = useExperiments()
  const [deleting, setDeleting] = useState<ReplyExperiment | null>(null)
  const [editing, setEditing] = useState<ReplyExperiment | 'new' | null>(null)
  return (
    <SettingsList
      query={query}
      none={{ icon: FlaskConical, title: t('none'), body: t('noneBody') }}
      lead={t('lead')}
      add={{ name: t('new'), may, onAdd: () => setEditing('new') }}
      dialogs={
        <>
          <Suspense>
            {editing && (
              <ExperimentDialog experiment={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
            )}
          </Suspense>
          <Confirm
            open={deleting !== null}
            onOpenChange={(open) => !open && setDeleting(null)}
            title={t('deleteTitle')}
            description={t('deleteBody', { count: (deleting?.a.served ?? 0) + (deleting?.b.served ?? 0) })}
            action={t('delete')}
            danger
            onConfirm={() => {
              if (deleting) remove.mutate(deleting)
              setDeleting(null)
            }}
          />
        </>
      }
    >
      {(experiments) => (
        <Rows role="list" aria-label={t('title')}>
          {experiments.map((one) => {
            const [icon, look] = STATES[one.state]
            return (
              <li key={one.id} className="grid grid-cols-[minmax(0,1fr)] gap-2 px-4 py-3">
                <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <h2 className="min-w-0 text-13 font-semibold break-words">
                    <bdi>{one.name}</bdi>
                  </h2>
                  <Pill icon={icon} look={look}>
                    {t(`states.${one.state}`)}
                  </Pill>
                  {!may.hidden && (
                    <div className="ms-auto flex items-center gap-1">
                      {one.state !== 'DECIDED' && (
                        <Button size="sm" reason={may.reason} busy={turn.isPending} onClick={() => turn.mutate(one)}>
                          {t(one.state === 'RUNNING' ? 'stop' : 'start')}
                        </Button>
                      )}
                      {one.startedAt === null ? (
                        <RowActs
                          edit={t('editThis', { name: one.name })}
                          onEdit={() => setEditing(one)}
                          remove={t('deleteThis', { name: one.name })}
                          onRemove={() => remove.mutate(one)}
                        />
                      ) : (
                        <Button
                          variant="ghost"
                          size="icon"
                          aria-label={t('deleteThis', { name: one.name })}
                          reason={may.reason ?? (one.state === 'RUNNING' && t('stopFirst'))}
                          onClick={() => setDeleting(one)}
                        >
                          <Trash2 className="size-4" aria-hidden />
                        </Button>
                      )}
                    </div>
                  )}
                </div>
                <Outcome experiment={one} />
              </li>
            )
          })}
        </Rows>
      )}
    </SettingsList>
  )
}

/** The figures of both ways, and whether one is better. */
function Outcome({ experiment }: { experiment: ReplyExperiment }) {
  const t = useTranslations('bot.experiments')
  const format = useFormatter()
  const { a, b, variantA, variantB, winnerId, comparable, needed, state, startedAt } = experiment
  const winner = winnerId === 'A' ? variantA.name : winnerId === 'B' ? variantB.name : null
  return (
    <>
      <dl className="grid grid-cols-[minmax(0,1fr)] gap-2 sm:grid-cols-2">
        {(
          [
            ['A', variantA, a],
            ['B', variantB, b],
          ] as const
        ).map(([id, variant, arm]) => (
          <div
            key={id}
            className={
              winnerId === id ? 'rounded-md bg-accent-soft px-3 py-2 text-13' : 'rounded-md bg-sunken px-3 py-2 text-13'
            }
          >
            <dt className="font-medium break-words">
              <bdi>{variant.name}</bdi>
            </dt>
            <dd className="text-xs text-muted tabular-nums">
              {arm.served === 0
                ? t('noneServed')
                : t('arm', {
                    rate:
                      arm.rate === null ? '—' : format.number(arm.rate, { style: 'percent', maximumFractionDigits: 1 }),
                    conversions: arm.conversions,
                    served: arm.served,
                  })}
            </dd>
          </div>
        ))}
      </dl>
      <p className="text-xs text-muted">
        {winner
          ? t('wins', { name: winner })
          : !comparable
            ? t('incomparable')
            : state === 'RUNNING'
              ? t('needs', { count: needed })
              : t(startedAt === null ? 'notStarted' : 'noWinner')}
        {startedAt !== null && state !== 'RUNNING' && ` ${t('fixed')}`}
      </p>
    </>
  )
}
