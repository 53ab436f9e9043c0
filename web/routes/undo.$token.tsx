import { createFileRoute } from '@tanstack/react-router'
import { UndoForm } from '../features/team/auth/undo-form.tsx'

/** The link of a letter that told of a change. It undoes nothing by itself: programs that check mail open links too. */
export const Route = createFileRoute('/undo/$token')({
  component: function Undo() {
    const { token } = Route.useParams()
    return <UndoForm key={token} token={token} />
  },
})
