import { useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { useTranslations } from 'use-intl'
import type { ApprovalMode } from '../../../../src/publishing/posts/rules.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { FormError } from '../../../ui/field.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { useChangeWorkspace } from '../../team/settings/use-change-workspace.ts'

const MODES = ['none', 'optional', 'required', 'required_with_client'] as const satisfies readonly ApprovalMode[]

/** The setting for who must approve posts before publishing. */
export function ApprovalModeCard() {
  const t = useTranslations('approvals.modes')
  const text = useProblemText()
  const client = useQueryClient()
  const { workspace } = usePlace()
  // Requesting and requiring approval are the same feature of a plan.
  const { reason } = useMay('listApprovals')
  const id = useId()
  const choose = useChangeWorkspace(workspace, () => {
    for (const kind of ['post', 'posts']) void client.invalidateQueries({ queryKey: [workspace.id, kind] })
    toast.success(t('saved'))
  })
  const chosen = (choose.isPending && choose.variables.approvalMode) || workspace.approvalMode
  return (
    <section className="card grid gap-3 p-5" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="text-sm font-semibold">
        {t('title')}
      </h2>
      {choose.error && <FormError>{text(choose.error)}</FormError>}
      <div role="radiogroup" aria-labelledby={`${id}-title`} className="grid gap-1">
        {MODES.map((mode) => {
          const off = Boolean(reason) && mode.startsWith('required')
          return (
            <div key={mode} className="text-13">
              <label className="flex min-h-8 items-center gap-2.5 font-medium max-sm:min-h-11">
                <input
                  type="radio"
                  name={id}
                  className="size-4 shrink-0 accent-(--accent)"
                  checked={chosen === mode}
                  disabled={off}
                  aria-describedby={`${id}-${mode}`}
                  onChange={() => choose.mutate({ approvalMode: mode })}
                />
                <span className={off ? 'text-muted' : undefined}>{t(`${mode}.title`)}</span>
              </label>
              <span id={`${id}-${mode}`} className="ms-6 block text-xs text-muted">
                {t(`${mode}.body`)}
              </span>
            </div>
          )
        })}
      </div>
      {reason && <p className="text-xs text-muted">{reason}</p>}
    </section>
  )
}
