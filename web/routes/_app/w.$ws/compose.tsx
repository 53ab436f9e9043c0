import { createFileRoute } from '@tanstack/react-router'
import { NewPostScreen } from '../../../features/composer/new-post.tsx'
import { postTexts } from '../../../i18n.tsx'

interface Search {
  /** A wall time of the workspace to start the schedule with: YYYY-MM-DDTHH:MM. */
  at?: string
}

export const Route = createFileRoute('/_app/w/$ws/compose')({
  validateSearch: (search: Record<string, unknown>): Search =>
    typeof search['at'] === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(search['at']) ? { at: search['at'] } : {},
  loader: postTexts,
  component: function Compose() {
    return <NewPostScreen at={Route.useSearch().at} />
  },
})
