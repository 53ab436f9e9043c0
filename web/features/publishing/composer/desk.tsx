import { Suspense } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { NETWORKS } from '../../../labels.ts'
import { lazy } from '../../../ui/part.tsx'
import { Editor } from './editor.tsx'
import { NetworkTabs } from './tabs.tsx'
import type { Editing } from './use-editing.ts'
import type { Sending } from './use-sending.ts'

// These load after the text.
const Targets = lazy(async () => ({ default: (await import('./targets.tsx')).Targets }))
const MediaTray = lazy(async () => ({ default: (await import('./media-tray.tsx')).MediaTray }))
const Folds = lazy(() => import('./settings/folds.tsx'))
const WhenRow = lazy(async () => ({ default: (await import('./when-row.tsx')).WhenRow }))

interface Props {
  editing: Editing
  sending: Sending
  /** The template to start from. */
  template: string | undefined
}

/** The column in which the person writes: the accounts, the text of each network, its media and settings, the time. */
export function ComposerDesk({ editing, sending, template }: Props) {
  const t = useTranslations('composer')
  const list = new Intl.ListFormat(useLocale())
  const { post, draft, edit, tab, platforms, accounts, chosen, fixes, view, uploads, picker } = editing
  const { checks = [], ways, when, reason, askTime } = sending
  return (
    <div
      className={`mx-auto grid w-full max-w-[46rem] grid-cols-[minmax(0,1fr)] content-start gap-4 px-3 pt-4 pb-24 md:px-6 md:pb-8 ${view.edits ? '' : 'max-lg:hidden'}`}
    >
      {fixes ? (
        <p className="rounded-lg bg-accent-soft px-3 py-2.5 text-13">
          {t('fixing', { networks: list.format(fixes.map((platform) => NETWORKS[platform].name)) })}
        </p>
      ) : (
        <Suspense fallback={<div className="h-16" aria-hidden />}>
          <Targets
            accounts={accounts}
            chosen={draft.targets}
            onChange={(targets) => edit((current) => ({ ...current, targets }))}
          />
        </Suspense>
      )}
      <div className="min-w-0 rounded-[14px] border border-control/40 bg-surface shadow-card">
        <NetworkTabs draft={draft} platforms={platforms} checks={checks} tab={tab} onTab={view.setTab} all={!fixes}>
          <Editor
            draft={draft}
            tab={tab}
            platforms={platforms}
            accounts={accounts}
            tagging={editing.named}
            edit={edit}
            text={editing.text}
            assists={view.panel === 'assistant'}
            onAssist={() => (view.panel === 'assistant' ? view.write() : view.show('assistant'))}
            onAddPicture={() => picker.current?.click()}
            template={fixes ? null : template}
          />
        </NetworkTabs>
        <Suspense fallback={<div className="h-16 border-t" aria-hidden />}>
          <MediaTray
            draft={draft}
            tab={tab}
            platforms={platforms}
            edit={edit}
            uploads={uploads}
            picker={picker}
            only={fixes}
          />
          <Folds
            draft={draft}
            edit={edit}
            tab={tab}
            platforms={platforms}
            accounts={chosen}
            checks={checks}
            open={view.folds}
            onOpen={view.fold}
          />
        </Suspense>
      </div>
      <Suspense>
        {!fixes && ways.length > 0 && (
          <WhenRow post={post} at={when} reason={reason} onChoose={askTime} labels={editing.handle} />
        )}
      </Suspense>
    </div>
  )
}
