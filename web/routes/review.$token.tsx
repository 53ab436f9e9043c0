import { createFileRoute } from '@tanstack/react-router'
import { ReviewPage } from '../features/publishing/approvals/review-page.tsx'
import { postTexts } from '../i18n.tsx'

/** The public link of a post under review, for people without an account. */
export const Route = createFileRoute('/review/$token')({
  beforeLoad: postTexts,
  component: function Review() {
    const { token } = Route.useParams()
    return <ReviewPage key={token} token={token} />
  },
})
