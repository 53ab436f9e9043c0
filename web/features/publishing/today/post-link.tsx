import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { usePlace } from '../../shell/workspace.tsx'
import type { CalendarEntry } from '../calendar/entry.ts'

/** The text of a post as a link that covers its whole row. */
export function PostLink({ entry }: { entry: CalendarEntry }) {
  const t = useTranslations('today')
  const { ws } = usePlace()
  return (
    <Link
      to="/w/$ws/posts/$id"
      params={{ ws, id: entry.id }}
      dir="auto"
      className="block clip after:absolute after:inset-0"
    >
      {entry.caption || t('untitled')}
    </Link>
  )
}
