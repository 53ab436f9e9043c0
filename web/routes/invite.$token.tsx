import { createFileRoute } from '@tanstack/react-router'
import { InvitationPage } from '../features/team/members/invitation-page.tsx'
import { session } from '../session.ts'
import { rareTexts } from '../i18n.tsx'

/** The link of an invitation. Its content depends on who opens it. */
export const Route = createFileRoute('/invite/$token')({
  beforeLoad: rareTexts,
  loader: async () => ({ signedIn: await session.ensure().catch(() => false) }),
  component: function Invite() {
    const { token } = Route.useParams()
    const { signedIn } = Route.useLoaderData()
    return <InvitationPage key={token} token={token} signedIn={signedIn} />
  },
})
