import { Suspense } from 'react'
import { aiTexts } from '../../../i18n.tsx'
import { PLATFORM_ORDER } from '../../../labels.ts'
import { lazy } from '../../../ui/part.tsx'
import type { Editing } from './use-editing.ts'

// These load after the text.
const Side = lazy(async () => ({ default: (await import('./side.tsx')).Side }))
const Rail = lazy(async () => ({ default: (await import('./side.tsx')).Rail }))
// Few posts need this.
const Assistant = lazy(async () => {
  await aiTexts()
  return import('../../assistant/assistant.tsx')
})

interface Props {
  editing: Editing
  /** The suggestion to start from. */
  idea: string | undefined
}

/** The panel next to the text, with the assistant, and on a wide screen the buttons that switch it. */
export function ComposerBeside({ editing, idea }: Props) {
  const { post, draft, edit, tab, platforms, chosen, tagging, view } = editing
  const [network = PLATFORM_ORDER[0], ...others] = platforms
  return (
    <Suspense fallback={<div className="hidden bg-bg lg:block" aria-hidden />}>
      <Side
        view={{ ...view, tab }}
        post={post}
        draft={draft}
        platforms={[network, ...others]}
        chosen={chosen}
        tagging={tagging}
        assistant={
          view.assisted && (
            <Suspense>
              <Assistant
                open={view.panel === 'assistant'}
                onOpenChange={(open) => {
                  if (open) return view.show('assistant')
                  view.write()
                  document.getElementById('assist')?.focus()
                }}
                draft={draft}
                tab={tab}
                onTab={view.setTab}
                platforms={platforms}
                tagging={editing.named}
                postId={editing.handle.id}
                edit={edit}
                onPicture={editing.uploads.take}
                idea={idea}
              />
            </Suspense>
          )
        }
      />
      {post && <Rail view={view} postId={post.id} />}
    </Suspense>
  )
}
