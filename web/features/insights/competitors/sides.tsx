import { useMutation, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Competitor, CompetitorComparison, Side } from '../../../../src/insights/competitors/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { useMoment } from '../../shell/moment.ts'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { PostsDialog } from './posts-dialog.tsx'
import type { Days } from './queries.ts'
import { inOrder, isKnown } from './sentence.ts'

interface Props {
  compared: CompetitorComparison
  competitors: Competitor[]
  days: Days
}

const COLUMNS = ['interactions', 'followers', 'change', 'posts'] as const

/** All accounts, most interactions first: a table, or cards on a phone. */
export function Sides({ compared, competitors, days }: Props) {
  const t = useTranslations('competitors')
  const may = useMay('removeCompetitor')
  const [removing, setRemoving] = useState<Competitor | null>(null)
  const [opened, setOpened] = useState<Competitor | null>(null)
  const cells = useCells()
  const rows = inOrder(compared)
  return (
    <>
      <table className="w-full border-separate border-spacing-0 overflow-hidden rounded-lg border bg-surface text-13 tabular-nums max-sm:block">
        <thead className="max-sm:hidden">
          <tr className="text-xs text-muted">
            <th scope="col" className="px-4 py-2 text-start font-medium">
              {t('columns.account')}
            </th>
            {COLUMNS.map((name) => (
              <th key={name} scope="col" className="px-3 py-2 text-end font-medium">
                {t(`columns.${name}`)}
              </th>
            ))}
            {!may.hidden && (
              <td className="w-10">
                <span className="sr-only">{t('columns.remove')}</span>
              </td>
            )}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {rows.map((side) => {
            const competitor = competitors.find(({ id }) => id === side.competitorId) ?? null
            return (
              <tr
                key={side.competitorId ?? 'ours'}
                className={clsx(
                  'max-sm:relative max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4 max-sm:gap-y-2 max-sm:border-t max-sm:p-4 max-sm:first:border-t-0',
                  side.competitorId === null && 'bg-accent-soft',
                )}
              >
                <th
                  scope="row"
                  className="border-t px-4 py-2.5 text-start font-normal max-sm:col-span-2 max-sm:border-0 max-sm:p-0 max-sm:pe-12"
                >
                  <Name side={side} competitor={competitor} onOpen={() => setOpened(competitor)} />
                </th>
                {COLUMNS.map((name) => (
                  <td
                    key={name}
                    className={clsx(
                      'border-t px-3 py-2.5 text-end max-sm:border-0 max-sm:p-0 max-sm:text-start',
                      name === 'interactions' && (isKnown(side) ? 'font-semibold' : 'text-faint'),
                    )}
                  >
                    <span className="block text-xs font-normal text-muted sm:hidden">{t(`columns.${name}`)}</span>
                    {cells[name](side)}
                  </td>
                ))}
                {!may.hidden && (
                  <td className="border-t pe-1.5 text-end max-sm:absolute max-sm:end-2 max-sm:top-2 max-sm:border-0">
                    {competitor && (
                      <Button
                        variant="ghost"
                        size="icon"
                        reason={may.reason}
                        aria-label={t('remove', { name: side.name })}
                        onClick={() => setRemoving(competitor)}
                      >
                        <Trash2 className="size-4" aria-hidden />
                      </Button>
                    )}
                  </td>
                )}
              </tr>
            )
          })}
        </tbody>
      </table>
      {removing && <RemoveDialog competitor={removing} onClose={() => setRemoving(null)} />}
      {opened && <PostsDialog competitor={opened} days={days} onClose={() => setOpened(null)} />}
    </>
  )
}

interface NameProps {
  side: Side
  competitor: Competitor | null
  onOpen: () => void
}

function Name({ side, competitor, onOpen }: NameProps) {
  const t = useTranslations('competitors')
  const moment = useMoment()
  const { error, nextReadAt } = competitor ?? { error: null, nextReadAt: null }
  const reason = error === 'not_discoverable' || error === 'not_connected' ? error : 'network'
  return (
    <div className="grid justify-items-start gap-0.5">
      {competitor ? (
        <button
          type="button"
          className="max-w-full min-h-6 text-start font-medium hover:underline max-sm:min-h-11"
          onClick={onOpen}
        >
          <bdi>{side.name}</bdi>
        </button>
      ) : (
        <span className="font-medium">
          <bdi>{side.name}</bdi>
        </span>
      )}
      <span className="text-xs text-muted">{competitor ? <bdi dir="ltr">@{side.username}</bdi> : t('yours')}</span>
      {error !== null && nextReadAt !== null && (
        <span className="text-xs text-warn">{t(`errors.${reason}`, { time: moment(nextReadAt) })}</span>
      )}
      {side.knownFrom !== null && (
        <span className="text-xs text-muted">{t('knownFrom', { time: moment(side.knownFrom, 'any') })}</span>
      )}
    </div>
  )
}

/** The content of each column for an account. */
function useCells(): Record<(typeof COLUMNS)[number], (side: Side) => ReactNode> {
  const t = useTranslations('competitors')
  const format = useFormatter()
  const none = (
    <>
      <span aria-hidden>–</span>
      <span className="sr-only">{t('unknown')}</span>
    </>
  )
  const spoken = (value: number | null, say: (value: number) => string = format.number) =>
    value === null ? none : <bdi dir="ltr">{say(value)}</bdi>
  return {
    interactions: (side) => (
      <>
        {spoken(side.interactions, (value) => format.number(value, { maximumFractionDigits: 1 }))}
        {side.interactions !== null && !isKnown(side) && (
          <span className="block text-2xs text-muted">{t('few', { count: side.posts })}</span>
        )}
      </>
    ),
    followers: ({ followers }) => spoken(followers),
    change: ({ followersChange }) =>
      spoken(followersChange, (value) => format.number(value, { signDisplay: 'exceptZero' })),
    posts: ({ posts }) => spoken(posts),
  }
}

/** Confirms deleting a competitor with all of its readings. */
function RemoveDialog({ competitor, onClose }: { competitor: Competitor; onClose: () => void }) {
  const t = useTranslations('competitors')
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const { id, name } = competitor
  const remove = useMutation({
    mutationFn: () => call('removeCompetitor', { workspace: ws, params: { id } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [ws, 'competitors'] })
      toast.success(t('removed', { name }))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('removeTitle', { name })}
      action={t('columns.remove')}
      danger
      busy={remove.isPending}
      error={remove.error && problem(remove.error)}
      onClose={onClose}
      onSubmit={() => remove.mutate()}
    >
      <p className="text-13">{t('removeBody')}</p>
    </FormDialog>
  )
}
