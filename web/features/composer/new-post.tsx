import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { ProblemError } from '../../client.ts'
import { accountsQuery } from '../../queries.ts'
import { ErrorView, Loaded } from '../../ui/states.tsx'
import { refusal, usePlace } from '../shell/workspace.tsx'
import { Composer } from './composer.tsx'
import { KeptText } from './kept-text.tsx'
import { ComposerSkeleton } from './skeleton.tsx'

export function NewPostScreen({ at }: { at?: string }) {
  const t = useTranslations('composer')
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'createPost')
  const accounts = useQuery({ ...accountsQuery(ws), enabled: !refused })
  if (refused)
    return (
      <>
        <ErrorView whole error={new ProblemError(403, { ...refused })} />
        <KeptText ws={ws} id={null} />
      </>
    )
  return (
    <Loaded whole query={accounts} skeleton={<ComposerSkeleton />}>
      {(list) => <Composer post={null} accounts={list} title={t('newPost')} at={at} />}
    </Loaded>
  )
}
