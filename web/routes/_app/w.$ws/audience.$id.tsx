import { createFileRoute } from '@tanstack/react-router'
import { CustomerScreen } from '../../../features/conversations/audience/customer.tsx'
import { audienceTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/audience/$id')({
  loader: audienceTexts,
  component: function Customer() {
    return <CustomerScreen id={Route.useParams().id} />
  },
})
