import { createFileRoute } from '@tanstack/react-router'
import { NewPostScreen } from '../../../features/publishing/composer/new-post.tsx'
import { postTexts } from '../../../i18n.tsx'

interface Search {
  /** The initial schedule, a wall time of the workspace: YYYY-MM-DDTHH:MM. */
  at?: string
  /** The template to start from. */
  template?: string
  /** The suggestion to start from. */
  idea?: string
}

export const Route = createFileRoute('/_app/w/$ws/compose')({
  validateSearch: ({ at, template, idea }: Record<string, unknown>): Search => ({
    ...(typeof at === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(at) && { at }),
    ...(typeof template === 'string' && { template }),
    ...(typeof idea === 'string' && { idea }),
  }),
  loader: postTexts,
  component: function Compose() {
    return <NewPostScreen {...Route.useSearch()} />
  },
})
