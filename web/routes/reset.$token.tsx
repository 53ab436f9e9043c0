import { createFileRoute } from '@tanstack/react-router'
import { ResetForm } from '../features/team/auth/reset-form.tsx'

/** The link of a password reset email. Its validity is checked only when it is used. */
export const Route = createFileRoute('/reset/$token')({
  component: function Reset() {
    const { token } = Route.useParams()
    return <ResetForm key={token} token={token} />
  },
})
