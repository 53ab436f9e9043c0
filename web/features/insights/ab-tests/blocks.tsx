import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { ABBlock, ABTest } from '../../../../src/insights/ab-tests/api.ts'
import { isWeekAfter } from '../../../../src/insights/ab-tests/rules.ts'
import { kindOf } from '../../../../src/publishing/posts/compose/rules.ts'
import { slotOf } from '../../../../src/insights/predictions/rules.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useMoment } from '../../shell/moment.ts'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { scheduledQuery } from './queries.ts'

type Place = 'first' | 'second'

interface Choosing {
  block: ABBlock
  place: Place
}

/** The blocks of a test, each with its posts and the variants that its coin toss assigned to them. */
export function Blocks({ test }: { test: ABTest }) {
  const t = useTranslations('abTests')
  const [choosing, setChoosing] = useState<Choosing | null>(null)
  return (
    <section aria-labelledby="blocks" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="grid gap-1">
        <h2 id="blocks" className="text-13 font-semibold">
          {t('blocksTitle')}
        </h2>
        <p className="text-xs text-muted">{t('blocksBody')}</p>
      </div>
      <ol className="grid grid-cols-[minmax(0,1fr)] divide-y overflow-hidden rounded-lg border bg-surface">
        {test.blocks.map((block) => (
          <li key={block.n} className="grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-2 p-4 text-13 sm:grid-cols-2">
            <h3 className="flex flex-wrap gap-x-3 text-xs font-medium text-muted sm:col-span-2">
              {t('block', { n: block.n })}
              <Outcome block={block} />
            </h3>
            {(['first', 'second'] as const).map((place) => (
              <Tested
                key={place}
                test={test}
                block={block}
                place={place}
                onChoose={() => setChoosing({ block, place })}
              />
            ))}
          </li>
        ))}
      </ol>
      {choosing && <ChooseDialog test={test} {...choosing} onClose={() => setChoosing(null)} />}
    </section>
  )
}

function Outcome({ block: { dropped, ratio } }: { block: ABBlock }) {
  const t = useTranslations('abTests')
  const format = useFormatter()
  if (dropped) return <span className="text-warn">{t(`dropped.${dropped}`)}</span>
  if (ratio === null) return null
  return <span>{t('ratio', { ratio: format.number(ratio, { maximumFractionDigits: 2 }) })}</span>
}

interface TestedProps extends Choosing {
  test: ABTest
  onChoose: () => void
}

function Tested({ test, block, place, onChoose }: TestedProps) {
  const t = useTranslations('abTests')
  const moment = useMoment()
  const { ws } = usePlace()
  const may = useMay('setABBlock')
  const { variant, postId, caption, scheduledAt, publishedAt } = block[place]
  const at = publishedAt ?? scheduledAt
  const isOpen = (test.state === 'draft' || test.state === 'running') && publishedAt === null && !may.hidden
  return (
    <div className="flex min-w-0 items-start gap-3">
      <span
        className="grid size-6 shrink-0 place-items-center rounded-full bg-accent-soft text-xs font-semibold text-accent"
        aria-hidden
      >
        {variant}
      </span>
      <div className="grid min-w-0 grow gap-0.5">
        <p className="text-xs text-muted">
          {t(place)} · {t('is', { variant, like: variant === 'A' ? test.a : test.b })}
        </p>
        {postId ? (
          <>
            <Link
              to="/w/$ws/posts/$id"
              params={{ ws, id: postId }}
              dir="auto"
              className="line-clamp-2 min-h-6 break-words hover:underline max-sm:py-3"
            >
              {caption || t('noCaption')}
            </Link>
            {at && (
              <p className="text-xs text-muted">{t(publishedAt ? 'live' : 'scheduled', { time: moment(at, 'any') })}</p>
            )}
          </>
        ) : (
          <p className="text-muted">{t('noPost')}</p>
        )}
        {isOpen && (
          <Button
            size="sm"
            className="w-fit"
            reason={may.reason}
            aria-label={t('chooseFor', { act: t(postId ? 'change' : 'choose'), place: t(place), n: block.n })}
            onClick={onChoose}
          >
            {t(postId ? 'change' : 'choose')}
          </Button>
        )}
      </div>
    </div>
  )
}

const NONE = 'none'

/** Offers the scheduled posts that fit a place in a block. */
function ChooseDialog({ test, block, place, onClose }: Choosing & { test: ABTest; onClose: () => void }) {
  const t = useTranslations('abTests')
  const common = useTranslations('common')
  const problem = useProblemText()
  const client = useQueryClient()
  const moment = useMoment()
  const { ws, workspace } = usePlace()
  const query = useQuery(scheduledQuery(ws))
  const posts = query.data
  const [chosen, choose] = useState(block[place].postId ?? NONE)
  const other = block[place === 'first' ? 'second' : 'first']
  const taken = new Set(
    test.blocks.flatMap(({ n, first, second }) => (n === block.n ? [other.postId] : [first.postId, second.postId])),
  )
  const fitting = (posts ?? []).filter((post) => {
    const { id, scheduledAt, publications } = post
    if (scheduledAt === null || taken.has(id)) return false
    const at = new Date(scheduledAt)
    if (slotOf(at, workspace.timezone) !== test.slot) return false
    if (kindOf(post, test.platform) !== test.kind) return false
    if (!publications.some(({ accountId, dropped }) => accountId === test.accountId && !dropped)) return false
    if (other.scheduledAt === null) return true
    const beside = new Date(other.scheduledAt)
    const [first, second] = place === 'first' ? [at, beside] : [beside, at]
    return isWeekAfter(first, second, workspace.timezone)
  })
  const save = useMutation({
    mutationFn: () =>
      call('setABBlock', {
        workspace: ws,
        params: { id: test.id, n: block.n },
        body: { [place === 'first' ? 'firstPostId' : 'secondPostId']: chosen === NONE ? null : chosen },
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [ws, 'ab-tests'] })
      onClose()
    },
  })
  const { variant, postId } = block[place]
  if (posts && fitting.length === 0 && postId === null)
    return (
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title={t('placeOf', { place: t(place), n: block.n })}
        description={t('noneFit')}
        footer={
          <>
            <Button onClick={onClose}>{common('cancel')}</Button>
            <Link to="/w/$ws/compose" params={{ ws }} className={buttonClass('primary')}>
              {t('write')}
            </Link>
          </>
        }
      />
    )
  return (
    <FormDialog
      title={t('placeOf', { place: t(place), n: block.n })}
      description={t('is', { variant, like: variant === 'A' ? test.a : test.b })}
      busy={save.isPending}
      error={save.error && problem(save.error)}
      onClose={onClose}
      onSubmit={() => save.mutate()}
    >
      <Loaded query={query} skeleton={<div className="skeleton h-16" aria-hidden />}>
        {() => (
          <>
            <SelectField
              label={t('post')}
              value={chosen}
              options={[
                [NONE, t('noPost')] as const,
                ...fitting.map(
                  ({ id, caption, scheduledAt }) =>
                    [id, `${moment(scheduledAt ?? '', 'any')} · ${caption.slice(0, 60) || t('noCaption')}`] as const,
                ),
              ]}
              onChange={choose}
            />
            <p className="text-xs text-muted">{t('fit')}</p>
          </>
        )}
      </Loaded>
    </FormDialog>
  )
}
