import { createFileRoute } from '@tanstack/react-router'
import { ApprovalsScreen } from '../../../features/publishing/approvals/screen.tsx'
import { isState, type ApprovalState } from '../../../features/publishing/approvals/states.ts'
import { postTexts } from '../../../i18n.tsx'

interface Search {
  /** Which requests to show; pending ones by default. */
  state?: ApprovalState | 'ALL'
  /** The open request. */
  id?: string
}

export const Route = createFileRoute('/_app/w/$ws/approvals')({
  validateSearch: ({ state, id }: Record<string, unknown>): Search => ({
    ...(isState(state) || state === 'ALL' ? { state } : {}),
    ...(typeof id === 'string' ? { id } : {}),
  }),
  loader: postTexts,
  component: function Approvals() {
    const { state, id } = Route.useSearch()
    return <ApprovalsScreen state={isState(state) || state === 'ALL' ? state : 'PENDING'} id={id ?? null} />
  },
})
