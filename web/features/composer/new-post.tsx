import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { ProblemError } from '../../client.ts'
import { accountsQuery } from '../../queries.ts'
import { ErrorView, Loaded } from '../../ui/states.tsx'
import { refusal, usePlace } from '../shell/workspace.tsx'
import { Composer } from './composer.tsx'
import { ComposerSkeleton } from './skeleton.tsx'

const KeptText = lazy(() => import('./kept-text.tsx'))

export function NewPostScreen(begin: { at?: string; template?: string; idea?: string }) {
  const t = useTranslations('composer')
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'createPost')
  const accounts = useQuery({ ...accountsQuery(ws), enabled: !refused })
  if (refused)
    return (
      <>
        <ErrorView whole error={new ProblemError(403, { ...refused })} />
        <Suspense>
          <KeptText ws={ws} id={null} />
        </Suspense>
      </>
    )
  return (
    <Loaded whole query={accounts} skeleton={<ComposerSkeleton />}>
      {(list) => <Composer post={null} accounts={list} title={t('newPost')} {...begin} />}
    </Loaded>
  )
}
