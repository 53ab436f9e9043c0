import { createFileRoute } from '@tanstack/react-router'
import { PostScreen } from '../../../features/publishing/post/screen.tsx'
import type { Tab } from '../../../features/publishing/composer/draft.ts'
import { failedTexts } from '../../../i18n.tsx'
import { PLATFORM_ORDER } from '../../../labels.ts'

export const Route = createFileRoute('/_app/w/$ws/posts/$id')({
  /** `edit` opens the editor at the tab with the problem: that of one network, or `all`. */
  validateSearch: ({ edit }): { edit?: Tab } => {
    const tab = (['all', ...PLATFORM_ORDER] as const).find((one) => one === edit)
    return tab ? { edit: tab } : {}
  },
  loader: failedTexts,
  component: function Post() {
    const { id } = Route.useParams()
    const { edit } = Route.useSearch()
    return <PostScreen key={id} id={id} edit={edit} />
  },
})
