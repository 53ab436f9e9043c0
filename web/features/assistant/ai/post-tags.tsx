import { useQuery } from '@tanstack/react-query'
import { Sparkles } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { postTagsQuery } from './queries.ts'

/** The topics of a post made with AI, once it is tagged; nothing for other posts. */
export default function PostTags({ id }: { id: string }) {
  const t = useTranslations('ai')
  const { ws, membership } = usePlace()
  const { data } = useQuery({ ...postTagsQuery(ws, id), enabled: !refusal(membership, 'getPostTags') })
  if (!data) return null
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
      <Sparkles className="size-3.5" aria-hidden />
      <span className="sr-only">{t('about')}</span>
      <bdi>{t('aboutTopic', { topic: data.topic })}</bdi>
      <span>{t(`formats.${data.format}`)}</span>
      <bdi>{t('aboutTone', { tone: data.tone })}</bdi>
    </p>
  )
}
