import { createFileRoute } from '@tanstack/react-router'
import { ProfileScreen } from '../../features/team/settings/profile.tsx'
import type { CameBack } from '../../features/team/settings/ways-in.tsx'
import { rareTexts } from '../../i18n.tsx'

export const Route = createFileRoute('/_app/me')({
  beforeLoad: rareTexts,
  validateSearch: (search: Record<string, unknown>): CameBack => ({
    ...(search['error'] ? { error: String(search['error']), provider: String(search['provider']) } : {}),
    ...(search['joined'] ? { joined: String(search['joined']) } : {}),
  }),
  component: function Me() {
    return <ProfileScreen cameBack={Route.useSearch()} />
  },
})
