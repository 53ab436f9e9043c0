import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { noContent } from '../../../../src/publishing/posts/compose/rules.ts'
import { accountsQuery } from '../../../queries.ts'
import { lazy } from '../../../ui/part.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { putComposerAtHand } from './at-hand.ts'
import { Composer } from './composer.tsx'
import { sameDraft } from './draft.ts'
import { clearMirror, readMirror } from './mirror.ts'
import { ComposerSkeleton } from './skeleton.tsx'

putComposerAtHand(Composer)

const KeptText = lazy(() => import('./kept-text.tsx'))
const Unfinished = lazy(() => import('./unfinished.tsx'))

/** Whether an unsaved new post exists here. Only its targets are not worth asking about. */
function isBegun(ws: string): boolean {
  const kept = readMirror(ws, null)
  return kept !== null && !sameDraft({ ...noContent, ...kept.draft, targets: [] }, noContent)
}

export function NewPostScreen(begin: { at?: string; template?: string; idea?: string }) {
  const t = useTranslations('composer')
  const navigate = useNavigate()
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'createPost')
  const accounts = useQuery({ ...accountsQuery(ws), enabled: !refused })
  const { at, template, idea } = begin
  const [undecided, setUndecided] = useState(() => Boolean(template ?? idea) && isBegun(ws))
  if (refused)
    return (
      <>
        <Refused whole refused={refused} />
        <Suspense>
          <KeptText ws={ws} id={null} />
        </Suspense>
      </>
    )
  if (undecided)
    return (
      <Suspense fallback={<ComposerSkeleton />}>
        <Unfinished
          ws={ws}
          instead={idea ? 'idea' : 'template'}
          onContinue={() => {
            setUndecided(false)
            void navigate({
              to: '/w/$ws/compose',
              params: { ws },
              search: { ...(at && !idea && { at }) },
              replace: true,
            })
          }}
          onBegin={() => {
            clearMirror(ws, null)
            setUndecided(false)
          }}
        />
      </Suspense>
    )
  return (
    <Loaded whole query={accounts} skeleton={<ComposerSkeleton />}>
      {(list) => <Composer post={null} accounts={list} title={t('newPost')} {...begin} />}
    </Loaded>
  )
}
