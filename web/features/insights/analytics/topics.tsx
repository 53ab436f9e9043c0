import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Tag } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { PostAge, TagDimension, TagGroup, TagGroups } from '../../../../src/insights/analytics/api.ts'
import { LEAST_POSTS } from '../../../../src/insights/analytics/rules.ts'
import { Choice } from '../../../ui/choice.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useTagWords } from '../../assistant/ai/tag-words.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { About } from './about.tsx'
import { NoPosts } from './no-posts.tsx'
import { MADE_OF } from './post-parts.tsx'
import { type FigureFilter, tagGroupsQuery } from './queries.ts'
import { type Column, Ranked } from './ranked.tsx'
import { AGES, DIMENSIONS, type Search } from './read-search.ts'
import { Value } from './value.tsx'
import { useFigureWords } from './words.ts'

type Key = 'estimate' | 'median' | 'n'

/** Which topics, formats, tones, hashtags or labels perform better. */
export default function Topics({ asked, search }: { asked: FigureFilter; search: Search }) {
  const t = useTranslations('analytics')
  const { ws } = usePlace()
  const navigate = useNavigate({ from: '/w/$ws/analytics/' })
  const by = search.by ?? 'topic'
  const query = useQuery(tagGroupsQuery(ws, { ...asked, by, at: search.at }))
  const change = (next: Search) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  const found = query.data
  return (
    <section aria-label={t('tabs.topics')} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Choice<TagDimension>
          label={t('by')}
          value={by}
          onChange={(next) => change({ by: next === 'topic' ? undefined : next })}
          options={DIMENSIONS.map((one) => [one, t(`dimensions.${one}`)] as const)}
        />
        <Choice<PostAge>
          label={t('age')}
          value={search.at}
          onChange={(at) => change({ at })}
          options={[[undefined, t('untilNow')], ...AGES.map((age) => [age, t(`ages.${age}`)] as const)]}
        />
        {found && (
          <p className="text-xs text-muted" role="status">
            {search.at ? t('postsAtAge', { count: found.count }) : t('postsUntilNow', { count: found.count })}{' '}
            {found.leftOut > 0 && t(search.at ? 'leftOut' : 'unread', { count: found.leftOut })}{' '}
            {found.untagged > 0 && t('untagged', { count: found.untagged, by })}
          </p>
        )}
      </div>
      <Loaded query={query} skeleton={<div className="skeleton h-64" aria-hidden />}>
        {(groups) =>
          groups.count === 0 ? (
            <NoPosts tab="topics" />
          ) : groups.data.length === 0 ? (
            <Empty icon={Tag} title={t('noGroups', { by })} role="status" />
          ) : (
            <Groups key={by} groups={groups} by={by} />
          )
        }
      </Loaded>
    </section>
  )
}

function Groups({ groups, by }: { groups: TagGroups; by: TagDimension }) {
  const t = useTranslations('analytics')
  const say = useFigureWords()
  const nameOf = useValueWords(by)
  const [order, setOrder] = useState<Key>('estimate')
  const { data, divisor, basis } = groups
  // Groups with too few posts stay last.
  const rows = data.toSorted((a, b) => Number(a.isFew) - Number(b.isFew) || (b[order] ?? -1) - (a[order] ?? -1))
  const isByChance = data.some(({ isFew }) => !isFew) && data.every(({ isFew, estimate }) => isFew || estimate === 1)
  const columns: Column<TagGroup, Key>[] = [
    {
      key: 'estimate',
      name: t('againstUsual'),
      isOrder: true,
      value: ({ estimate }) => <Value of={estimate} say={say.times} />,
      about: (
        <About
          name={t('againstUsual')}
          basis="posts"
          metrics={MADE_OF.engagement}
          note={t('estimateNote')}
          readAt={basis.readAt}
        />
      ),
    },
    {
      key: 'median',
      name: divisor ? t(`medianOf.${divisor}`) : t('figures.rate'),
      isOrder: true,
      value: ({ median }) => <Value of={median} say={say.share} />,
      about: (
        <About
          name={t('figures.rate')}
          basis="posts"
          metrics={MADE_OF.engagement}
          note={divisor ? t(`postRateNote.${divisor}`) : undefined}
          readAt={basis.readAt}
        />
      ),
    },
    { key: 'n', name: t('tabs.posts'), isOrder: true, value: ({ n }) => <Value of={n} say={say.whole} /> },
  ]
  return (
    <>
      <p className="text-13 text-muted">
        {isByChance ? <strong className="font-medium text-fg">{t('groupsByChance')}</strong> : t('groupsNote')}{' '}
        {t('fewNote', { least: LEAST_POSTS })}
      </p>
      <Ranked
        label={t('tabs.topics')}
        first={t(`dimensions.${by}`)}
        rows={rows}
        keyOf={({ value }) => value}
        head={({ value }) => (
          <bdi dir="auto" className="block clip font-medium">
            {nameOf(value)}
          </bdi>
        )}
        columns={columns}
        order={order}
        onOrder={setOrder}
        isWeak={({ isFew }) => isFew}
      />
    </>
  )
}

/** Returns the display name of a group. Values from rules and networks are translated. */
function useValueWords(by: TagDimension): (value: string) => string {
  const words = useTagWords()
  const ai = useTranslations('ai')
  return (value) => {
    if (by === 'topic') return words.topic(value)
    if (by === 'tone') return words.tone(value)
    return by === 'format' ? ai(`formats.${value as 'text'}`) : value
  }
}
