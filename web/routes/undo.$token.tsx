import { createFileRoute } from '@tanstack/react-router'
import { UndoForm } from '../features/team/auth/undo-form.tsx'

/** The link of an email about an account change. Opening it undoes nothing, because mail scanners open links too. */
export const Route = createFileRoute('/undo/$token')({
  component: function Undo() {
    const { token } = Route.useParams()
    return <UndoForm key={token} token={token} />
  },
})
