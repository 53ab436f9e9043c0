import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { postTexts, writingTexts } from '../../../i18n.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { slotsQuery } from './queries.ts'
import { SlotsCard } from './slots-card.tsx'

const WritingCards = lazy(async () => {
  await Promise.all([postTexts(), writingTexts()])
  return import('../writing/cards.tsx')
})

/** The preparations for all posts: the queue slots, and the texts to start from. */
export function QueueScreen() {
  const { ws } = usePlace()
  const slots = useQuery(slotsQuery(ws))
  return (
    <div className="settings-column gap-6">
      <Loaded query={slots} skeleton={<div className="skeleton h-96" aria-hidden />}>
        {(data) => <SlotsCard slots={data} />}
      </Loaded>
      <Suspense fallback={<div className="skeleton h-40" aria-hidden />}>
        <WritingCards />
      </Suspense>
    </div>
  )
}
