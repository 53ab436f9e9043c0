import { createFileRoute } from '@tanstack/react-router'
import { UserScreen } from '../../features/admin/user.tsx'

export const Route = createFileRoute('/_app/admin/users/$id')({
  component: function User() {
    return <UserScreen id={Route.useParams().id} />
  },
})
