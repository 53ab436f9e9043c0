import { useQuery } from '@tanstack/react-query'
import { Tag } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { postTagsQuery } from './queries.ts'
import { useTagWords } from './tag-words.ts'

const Form = lazy(() => import('./post-tags-form.tsx'))

/** The tags of a post, with a way to edit them. Renders nothing until the post is tagged. */
export default function PostTags({ id, live }: { id: string; live: boolean }) {
  const t = useTranslations('ai')
  const words = useTagWords()
  const { ws, membership } = usePlace()
  const { hidden } = useMay('setPostTags')
  const [correcting, setCorrecting] = useState(false)
  const { data } = useQuery({ ...postTagsQuery(ws, id), enabled: !refusal(membership, 'getPostTags') })
  if (!data) return null
  if (correcting)
    return (
      <Suspense fallback={<div className="skeleton h-40" aria-hidden />}>
        <Form tags={data} onClose={() => setCorrecting(false)} />
      </Suspense>
    )
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
      <Tag className="size-3.5" aria-hidden />
      <span className="sr-only">{t('about')}</span>
      <bdi>{t('aboutTopic', { topic: words.topic(data.topic) })}</bdi>
      <span>{t(`formats.${data.format}`)}</span>
      <bdi>{t('aboutTone', { tone: words.tone(data.tone) })}</bdi>
      <span>{t(`tagSources.${data.source}`)}</span>
      {live && !hidden && (
        <Button size="sm" variant="ghost" onClick={() => setCorrecting(true)}>
          {t('correctTags')}
        </Button>
      )}
    </div>
  )
}
