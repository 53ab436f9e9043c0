import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Report } from '../../../../src/insights/reports/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { usePlace } from '../../shell/workspace.tsx'

const DAYS = [30, 90, 180, 400]

/** Takes a snapshot of a report and shows its link, once. */
export default function ShareDialog({ report, onClose }: { report: Report; onClose: () => void }) {
  const t = useTranslations('reports')
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const [days, setDays] = useState(90)
  const share = useMutation({
    mutationFn: () => call('shareReport', { workspace: ws, params: { id: report.id }, body: { days } }),
    onSettled: () => client.invalidateQueries({ queryKey: [ws, 'reports'] }),
  })
  if (share.data?.url) return <Made url={share.data.url} onClose={onClose} />
  return (
    <FormDialog
      title={t('share')}
      description={t('shareBody')}
      action={t('makeLink')}
      busy={share.isPending}
      error={share.error && problem(share.error)}
      onClose={onClose}
      onSubmit={() => share.mutate()}
    >
      <SelectField
        label={t('days')}
        value={String(days)}
        options={DAYS.map((count) => [String(count), t('forDays', { count })] as const)}
        onChange={(count) => setDays(Number(count))}
      />
    </FormDialog>
  )
}

/** The URL of a new link, which cannot be shown again. */
function Made({ url, onClose }: { url: string; onClose: () => void }) {
  const t = useTranslations('reports')
  const field = useRef<HTMLInputElement>(null)
  const copy = () =>
    navigator.clipboard.writeText(url).then(
      () => toast.success(t('copied')),
      () => field.current?.select(), // the browser denies clipboard access; select it for manual copying
    )
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('share')}>
      <div role="status" className="grid gap-2 rounded-lg bg-ok-soft p-3">
        <p className="text-13">{t('made')}</p>
        <div className="flex gap-2">
          <input
            ref={field}
            className="input min-w-0"
            dir="ltr"
            readOnly
            aria-label={t('address')}
            value={url}
            onFocus={(event) => event.target.select()}
          />
          <Button onClick={() => void copy()}>
            <Copy className="size-4" aria-hidden />
            {t('copy')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
