import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { AudienceNode, LikelyPair } from '../../../../src/conversations/audience/api.ts'
import { call, isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { NetworkMarks } from '../../../ui/network.tsx'
import { Rows } from '../../../ui/row.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { useNodeName } from './words.tsx'

/** Customers who may be the same person, with the reasons and a merge button. `of` is the customer to keep. */
export function Pairs({ pairs, of }: { pairs: readonly LikelyPair[]; of?: string }) {
  const t = useTranslations('audience')
  const format = useFormatter()
  const may = useMay('mergeCustomers')
  const [asking, setAsking] = useState<[AudienceNode, AudienceNode] | null>(null)
  return (
    <>
      <Rows aria-label={t('pairs.title')}>
        {pairs.map(({ first, second, reasons }) => {
          // Keep the more engaged customer, unless the screen shows one of them.
          const isFirst = of === undefined ? first.engagement >= second.engagement : first.id === of
          const [kept, other] = isFirst ? [first, second] : [second, first]
          return (
            <li
              key={first.id + second.id}
              className="flex min-h-(--row) flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2"
            >
              <div className="grid min-w-0 grow basis-60 justify-items-start gap-0.5 text-13">
                {(of === undefined ? [kept, other] : [other]).map((one) => (
                  <Half key={one.id} customer={one} />
                ))}
                <p className="text-xs text-muted">
                  {format.list(reasons.map((reason) => t(`pairs.reasons.${reason}`)))}
                </p>
              </div>
              {!may.hidden && (
                <Button size="sm" reason={may.reason} onClick={() => setAsking([kept, other])}>
                  {t('pairs.merge')}
                </Button>
              )}
            </li>
          )
        })}
      </Rows>
      {asking && <MergeDialog kept={asking[0]} other={asking[1]} onClose={() => setAsking(null)} />}
    </>
  )
}

function Half({ customer }: { customer: AudienceNode }) {
  const name = useNodeName()(customer)
  const { ws } = usePlace()
  return (
    <span className="flex max-w-full items-center gap-2">
      <NetworkMarks platforms={customer.platforms} />
      <Link
        to="/w/$ws/audience/$id"
        params={{ ws, id: customer.id }}
        className="inline-flex min-h-6 min-w-6 items-center font-medium break-words hover:underline max-sm:min-h-11 max-sm:min-w-11"
      >
        <bdi>{name}</bdi>
      </Link>
      {customer.username && customer.username !== name && (
        <bdi dir="ltr" className="min-w-0 text-xs break-all text-muted">
          @{customer.username}
        </bdi>
      )}
    </span>
  )
}

function MergeDialog({ kept, other, onClose }: { kept: AudienceNode; other: AudienceNode; onClose: () => void }) {
  const t = useTranslations('audience.pairs')
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const nameOf = useNodeName()
  const merge = useMutation({
    mutationFn: () => call('mergeCustomers', { workspace: ws, params: { id: kept.id }, body: { with: other.id } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [ws, 'audience'] })
      toast.success(t('merged', { name: nameOf(kept) }))
      onClose()
    },
  })
  const why = (error: Error) => {
    if (!isProblem(error, 'invalid_state')) return problem(error)
    return t(error.problem['current'] === 'ERASING' ? 'erasing' : 'mergedAlready')
  }
  return (
    <FormDialog
      title={t('ask', { other: nameOf(other), name: nameOf(kept) })}
      description={t('body', { name: nameOf(kept) })}
      action={t('merge')}
      busy={merge.isPending}
      error={merge.error && why(merge.error)}
      onClose={onClose}
      onSubmit={() => merge.mutate()}
    >
      {null}
    </FormDialog>
  )
}
