import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { Notice, NotificationPreferences } from '../../../../src/team/notifications/api.ts'
import { isAlways } from '../../../../src/team/notifications/rules.ts'
import { call, isProblem } from '../../../client.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { zoneLabel } from '../../../time.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { TimeField } from '../../../ui/time-field.tsx'
import { preferencesQuery } from './queries.ts'

/** The kinds of notifications, most urgent first. */
const KINDS = [
  'post_at_risk',
  'post_delayed',
  'post_failed',
  'outcome_unknown',
  'account_reconnect',
  'publishing_paused',
  'quota_near',
  'quota_reached',
  'approval_requested',
  'approval_decided',
  'comment_mention',
  'comment_added',
  'thread_waiting',
  'reply_failed',
  'reply_held',
  'bot_no_credits',
  'thread_escalated',
  'thread_assigned',
  'thread_mention',
  'invitation_received',
  'invitation_accepted',
  'role_changed',
  'member_removed',
  'ownership_transferred',
  'security',
] as const satisfies readonly Notice[]
type Kind = (typeof KINDS)[number]
const WAYS = ['inApp', 'mail'] as const

/** Which notifications reach the person on which channel, and the quiet hours for email. */
export function PreferencesCard({ timezone }: { timezone: string }) {
  const t = useTranslations('notices')
  const query = useQuery(preferencesQuery)
  return (
    <section id="notifications" className="card grid gap-5 p-5" aria-labelledby="notifications-title">
      <h2 id="notifications-title" className="text-sm font-semibold">
        {t('title')}
      </h2>
      <Loaded query={query} skeleton={<div className="skeleton h-64" />}>
        {(preferences) => (
          <>
            <Kinds preferences={preferences} />
            <QuietHours
              key={`${preferences.quietFrom}-${preferences.quietUntil}`}
              preferences={preferences}
              timezone={timezone}
            />
          </>
        )}
      </Loaded>
    </section>
  )
}

function Kinds({ preferences }: { preferences: NotificationPreferences }) {
  const t = useTranslations('notices')
  const text = useProblemText()
  const client = useQueryClient()
  /** The new choice, until the refetched data shows it. */
  const [chosen, setChosen] = useState<Record<string, boolean>>({})
  const change = useMutation({
    mutationFn: ({ kind, way, on }: { kind: Kind; way: (typeof WAYS)[number]; on: boolean }) =>
      call('setNotificationPreferences', { body: { kinds: { [kind]: { [way]: on } } } }),
    onError: (error) => toast.error(t('notSaved'), { description: text(error) }),
    onSettled: async (_answer, _error, { kind, way }) => {
      await client.invalidateQueries({ queryKey: preferencesQuery.queryKey })
      setChosen(({ [`${kind}.${way}`]: _over, ...rest }) => rest)
    },
  })
  const choose = (kind: Kind, way: (typeof WAYS)[number], on: boolean) => {
    setChosen((now) => ({ ...now, [`${kind}.${way}`]: on }))
    change.mutate({ kind, way, on })
  }
  return (
    <table className="w-full text-13">
      <thead>
        <tr className="text-xs text-muted">
          <th scope="col" className="pb-1 text-start font-medium">
            {t('what')}
          </th>
          {WAYS.map((way) => (
            <th key={way} scope="col" className="w-16 pb-1 text-center font-medium">
              {t(way)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {KINDS.map((kind) => (
          <tr key={kind} className="border-t">
            <th scope="row" className="py-1 pe-2 text-start font-normal">
              {t(`kinds.${kind}`)}
            </th>
            {WAYS.map((way) => (
              <td key={way} className="text-center">
                <label className="mx-auto grid size-9 place-items-center max-sm:size-11">
                  <input
                    type="checkbox"
                    aria-label={t('by', { kind: t(`kinds.${kind}`), way: t(way) })}
                    className="size-4 accent-(--accent) max-sm:size-6"
                    checked={chosen[`${kind}.${way}`] ?? preferences.kinds[kind][way]}
                    disabled={isAlways(kind, way)}
                    onChange={(event) => choose(kind, way, event.target.checked)}
                  />
                </label>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      <caption className="caption-bottom pt-3 text-start text-xs text-muted">{t('always')}</caption>
    </table>
  )
}

function QuietHours({ preferences, timezone }: { preferences: NotificationPreferences; timezone: string }) {
  const t = useTranslations('notices')
  const common = useTranslations('common')
  const profile = useTranslations('profile')
  const locale = useLocale()
  const text = useProblemText()
  const client = useQueryClient()
  const { quietFrom, quietUntil } = preferences
  const [on, setOn] = useState(quietFrom !== null)
  const [from, setFrom] = useState(quietFrom ?? '22:00')
  const [until, setUntil] = useState(quietUntil ?? '07:00')
  const wanted = on ? { quietFrom: from, quietUntil: until } : { quietFrom: null, quietUntil: null }
  const save = useMutation({
    mutationFn: () => call('setNotificationPreferences', { body: wanted }),
    onSuccess: (answer) => {
      client.setQueryData(preferencesQuery.queryKey, answer)
      toast.success(t('saved'))
    },
  })
  const fault = useFaults(save.error)
  const same = wanted.quietFrom === quietFrom && wanted.quietUntil === quietUntil
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!same && !save.isPending) save.mutate()
  }
  return (
    <form noValidate onSubmit={submit} className="grid gap-3 border-t pt-4">
      {save.error && !isProblem(save.error, 'validation_failed') && <FormError>{text(save.error)}</FormError>}
      <label className="flex min-h-9 items-center gap-2.5 text-13 font-medium max-sm:min-h-11">
        <input
          type="checkbox"
          className="size-4 accent-(--accent) max-sm:size-6"
          checked={on}
          onChange={(event) => setOn(event.target.checked)}
        />
        {t('quiet')}
      </label>
      {on && (
        <div className="grid grid-cols-2 items-start gap-3">
          <TimeField label={t('quietFrom')} value={from} onChange={setFrom} error={fault('/quietFrom')} />
          <TimeField label={t('quietUntil')} value={until} onChange={setUntil} error={fault('/quietUntil')} />
        </div>
      )}
      <p className="text-xs text-muted">
        {t('quietNote', { zone: `\u2068${zoneLabel(timezone, new Date(), locale)}\u2069` })}
      </p>
      <div>
        <Button type="submit" busy={save.isPending} reason={same ? profile('nothingChanged') : null}>
          {common('save')}
        </Button>
      </div>
    </form>
  )
}
