import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { deletedQuery, meQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'

const DAY = 86_400_000
const RESTORE_DAYS = 30

/** The workspaces that the person owned and deleted, while they can be restored. */
export function DeletedWorkspaces() {
  const t = useTranslations('ending')
  const format = useFormatter()
  const text = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { data } = useQuery(deletedQuery)
  const restore = useMutation({
    mutationFn: (id: string) => call('restoreWorkspace', { params: { id } }),
    onSuccess: async ({ id, name }) => {
      toast.success(t('restored', { name }))
      void client.invalidateQueries({ queryKey: deletedQuery.queryKey })
      await client.fetchQuery({ ...meQuery, staleTime: 0 })
      await navigate({ to: '/w/$ws/settings', params: { ws: id } })
    },
    onError: (error) => {
      toast.error(text(error))
      void client.invalidateQueries({ queryKey: deletedQuery.queryKey })
    },
  })
  if (!data || data.length === 0) return null
  return (
    <section className="card grid gap-3 p-5" aria-labelledby="deleted-title">
      <h2 id="deleted-title" className="text-sm font-semibold">
        {t('deleted')}
      </h2>
      <ul className="grid gap-3">
        {data.map(({ id, name, deletedAt }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <div className="grid min-w-0 grow basis-40 gap-0.5">
              <span dir="auto" className="clip text-13 font-medium">
                {name}
              </span>
              {deletedAt && (
                <span className="text-xs text-muted">
                  {t('until', {
                    date: format.dateTime(new Date(Date.parse(deletedAt) + RESTORE_DAYS * DAY), { dateStyle: 'long' }),
                  })}
                </span>
              )}
            </div>
            <Button busy={restore.isPending && restore.variables === id} onClick={() => restore.mutate(id)}>
              {t('restore')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
