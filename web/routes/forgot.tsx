import { createFileRoute } from '@tanstack/react-router'
import { ForgotForm } from '../features/team/auth/forgot-form.tsx'
import { readWanted } from '../features/team/auth/wanted.ts'

export const Route = createFileRoute('/forgot')({
  validateSearch: readWanted,
  component: function Forgot() {
    return <ForgotForm {...Route.useSearch()} />
  },
})
