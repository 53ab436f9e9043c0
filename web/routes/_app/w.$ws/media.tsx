import { createFileRoute } from '@tanstack/react-router'
import type { LibraryFilter } from '../../../features/publishing/media/filters.ts'
import { MediaScreen } from '../../../features/publishing/media/screen.tsx'
import { failedTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/media')({
  validateSearch: (search: Record<string, unknown>): LibraryFilter => search,
  loader: failedTexts,
  component: function Media() {
    return <MediaScreen search={Route.useSearch()} />
  },
})
