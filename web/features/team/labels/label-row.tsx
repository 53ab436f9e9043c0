import { Plus, Tag } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { LabelMark } from '../../../../src/team/labels/api.ts'
import { Button } from '../../../ui/button.tsx'
import { LabelChips } from '../../../ui/label-chip.tsx'
import { useMay } from '../../shell/workspace.tsx'
import { LabelMenu } from './label-menu.tsx'

interface Props {
  labels: readonly LabelMark[]
  onChange: (labels: LabelMark[]) => void
}

/** The labels of a saved or new post, with a menu to change them. */
export default function LabelRow({ labels, onChange }: Props) {
  const t = useTranslations('labels')
  const may = useMay('updatePost')
  if (may.hidden && labels.length === 0) return null
  return (
    <div role="group" aria-label={t('title')} className="flex min-h-8 min-w-0 flex-wrap items-center gap-1.5 text-13">
      <LabelChips labels={labels} max={6} />
      {!may.hidden && (
        <LabelMenu
          label={t('title')}
          creates
          chosen={new Set(labels.map(({ id }) => id))}
          onToggle={(label, on) => onChange(on ? [...labels, label] : labels.filter(({ id }) => id !== label.id))}
          trigger={(props) => (
            <Button
              variant="ghost"
              size="sm"
              className={labels.length > 0 ? undefined : '-ms-2'}
              reason={may.reason}
              {...props}
            >
              {labels.length > 0 ? <Plus className="size-3.5" aria-hidden /> : <Tag className="size-3.5" aria-hidden />}
              {t('add')}
            </Button>
          )}
        />
      )}
    </div>
  )
}
