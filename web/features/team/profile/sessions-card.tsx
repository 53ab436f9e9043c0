import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { MonitorSmartphone } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import type { SignIn } from '../../../../src/team/identity/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { sessionsQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { DAY_TIME } from '../../../time.ts'

/** The person's sessions. All but the current one can be ended here. */
export function SessionsCard() {
  const t = useTranslations('sessions')
  const text = useProblemText()
  const client = useQueryClient()
  const query = useQuery(sessionsQuery)
  const end = useMutation({
    mutationFn: (id: string | null) =>
      id === null ? call('endOtherSessions') : call('endSession', { params: { id } }),
    onSuccess: (_, id) => toast.success(t(id === null ? 'othersEnded' : 'ended')),
    onError: (error) => toast.error(t('notEnded'), { description: text(error) }),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  return (
    <section className="card grid gap-4 p-5" aria-labelledby="sessions">
      <div className="grid gap-1">
        <h2 id="sessions" className="text-sm font-semibold">
          {t('title')}
        </h2>
        <p className="text-xs text-muted">{t('note')}</p>
      </div>
      <Loaded query={query} skeleton={<div className="skeleton h-14" />}>
        {(data) => (
          <>
            <ul className="grid divide-y">
              {data.map((one) => (
                <Row
                  key={one.id}
                  {...one}
                  busy={end.isPending && end.variables === one.id}
                  end={() => end.mutate(one.id)}
                />
              ))}
            </ul>
            {data.length > 1 ? (
              <div>
                <Button busy={end.isPending && end.variables === null} onClick={() => end.mutate(null)}>
                  {t('endOthers')}
                </Button>
              </div>
            ) : (
              <p className="text-13 text-muted">{t('onlyHere')}</p>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

function Row({
  device,
  place,
  method,
  createdAt,
  lastUsedAt,
  current,
  busy,
  end,
}: SignIn & { busy: boolean; end(): void }) {
  const t = useTranslations('sessions')
  const format = useFormatter()
  const { browser, system } = device
  const name = browser && system ? t('device', { browser, system }) : (browser ?? system ?? t('unknown'))
  const at = (time: string) => format.dateTime(new Date(time), DAY_TIME)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
      <MonitorSmartphone className="size-5 shrink-0 text-muted" aria-hidden />
      <div className="grid min-w-0 grow gap-0.5">
        <span className="font-medium">
          <bdi>{name}</bdi>
          {current && <span className="ms-2 text-xs font-medium text-ok">{t('here')}</span>}
        </span>
        <span className="text-xs text-muted">
          {t('used', { at: at(lastUsedAt) })}
          {place && (
            <>
              {' · '}
              <bdi dir="ltr">{place}</bdi>
            </>
          )}
        </span>
        <span className="text-xs text-muted">{t('since', { at: at(createdAt), method: t(`methods.${method}`) })}</span>
      </div>
      {!current && (
        <Button size="sm" busy={busy} aria-label={t('endOf', { device: name })} onClick={end}>
          {t('end')}
        </Button>
      )}
    </li>
  )
}
