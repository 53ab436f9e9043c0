import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Filter, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { AudienceSegment } from '../../../../src/conversations/audience/segments/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { Page } from '../../../ui/page.tsx'
import { RowActs, Rows } from '../../../ui/row.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useMoment } from '../../shell/moment.ts'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { Count } from './count.tsx'
import { NotRead } from './not-read.tsx'
import { listedSegmentQuery, segmentsQuery } from './queries.ts'
import { SegmentDialog } from './segment-dialog.tsx'
import { useFilterSentence } from './sentence.ts'
import { AudienceTabs } from './tabs.tsx'

/** The segments, each as a sentence with its current number of customers. */
export function SegmentsScreen() {
  const t = useTranslations('audience.segments')
  const { membership } = usePlace()
  const refused = refusal(membership, 'listSegments')
  return refused ? (
    <Page title={t('title')}>
      <Refused refused={refused} />
    </Page>
  ) : (
    <Screen />
  )
}

function Screen() {
  const t = useTranslations('audience.segments')
  const { ws } = usePlace()
  const may = useMay('createSegment')
  const query = useQuery(segmentsQuery(ws))
  const [changing, setChanging] = useState<AudienceSegment | 'new' | null>(null)
  const [deleting, setDeleting] = useState<AudienceSegment | null>(null)
  const add = !may.hidden && (
    <Button variant="primary" reason={may.reason} onClick={() => setChanging('new')}>
      <Plus className="size-4" aria-hidden />
      {t('new')}
    </Button>
  )
  return (
    <Page title={t('title')} actions={query.data && query.data.length > 0 && add}>
      <AudienceTabs current="segments" />
      <Loaded query={query} skeleton={<div className="skeleton mx-auto my-6 h-48 w-full max-w-4xl" aria-hidden />}>
        {(segments) =>
          segments.length === 0 ? (
            <Empty icon={Filter} title={t('none')} actions={add}>
              {t('noneBody')}
            </Empty>
          ) : (
            <div className="mx-auto w-full max-w-4xl px-4 py-6 lg:px-6">
              <Rows aria-label={t('title')}>
                {segments.map((one) => (
                  <Row
                    key={one.id}
                    segment={one}
                    onEdit={may.hidden ? null : () => setChanging(one)}
                    onRemove={() => setDeleting(one)}
                  />
                ))}
              </Rows>
            </div>
          )
        }
      </Loaded>
      {changing && <SegmentDialog segment={changing === 'new' ? null : changing} onClose={() => setChanging(null)} />}
      {deleting && <DeleteDialog segment={deleting} onClose={() => setDeleting(null)} />}
    </Page>
  )
}

interface RowProps {
  segment: AudienceSegment
  /** null for people who may only view. */
  onEdit: (() => void) | null
  onRemove: () => void
}

function Row({ segment, onEdit, onRemove }: RowProps) {
  const t = useTranslations('audience.segments')
  const sentence = useFilterSentence()
  const moment = useMoment()
  const { ws } = usePlace()
  const query = useQuery(listedSegmentQuery(ws, segment))
  const { data: counted } = query
  return (
    <li className="flex min-h-(--row) flex-wrap items-center gap-x-4 gap-y-1 py-2.5 ps-4 pe-2">
      <div className="grid min-w-0 grow basis-60 justify-items-start text-13">
        <Link
          to="/w/$ws/audience"
          params={{ ws }}
          search={{ segment: segment.id }}
          className="inline-flex min-h-6 max-w-full min-w-6 items-center font-medium break-words hover:underline max-sm:min-h-11 max-sm:min-w-11"
        >
          <bdi>{segment.name}</bdi>
        </Link>
        <p className="max-w-full text-xs break-words text-muted">{sentence(segment.filter)}</p>
      </div>
      <div className="min-w-32 text-13">
        {counted ? (
          <>
            <Count count={counted.count} more={counted.more} />
            {counted.countedAt && (
              <p className="text-xs text-muted">{t('countedAt', { time: moment(counted.countedAt) })}</p>
            )}
          </>
        ) : query.isError ? (
          <NotRead query={query}>{t('notCounted')}</NotRead>
        ) : (
          <div className="skeleton h-9" aria-hidden />
        )}
      </div>
      {onEdit && (
        <span className="flex">
          <RowActs
            edit={t('change', { name: segment.name })}
            onEdit={onEdit}
            remove={t('deleteThis', { name: segment.name })}
            onRemove={onRemove}
          />
        </span>
      )}
    </li>
  )
}

function DeleteDialog({ segment, onClose }: { segment: AudienceSegment; onClose: () => void }) {
  const t = useTranslations('audience.segments')
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const remove = useMutation({
    mutationFn: () => call('deleteSegment', { workspace: ws, params: { id: segment.id } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [ws, 'segments'], exact: true })
      toast.success(t('deleted', { name: segment.name }))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('deleteTitle', { name: segment.name })}
      description={t('deleteBody')}
      action={t('delete')}
      danger
      busy={remove.isPending}
      error={remove.error && problem(remove.error)}
      onClose={onClose}
      onSubmit={() => remove.mutate()}
    >
      {null}
    </FormDialog>
  )
}
