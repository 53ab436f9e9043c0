import { createFileRoute, redirect } from '@tanstack/react-router'
import { RegisterForm } from '../features/team/auth/register-form.tsx'
import { readWanted } from '../features/team/auth/wanted.ts'
import { session } from '../session.ts'

export const Route = createFileRoute('/register')({
  validateSearch: readWanted,
  beforeLoad: async ({ search }) => {
    const signedIn = await session.ensure().catch(() => false)
    if (signedIn) throw redirect({ href: search.to ?? '/' })
  },
  component: function Register() {
    return <RegisterForm {...Route.useSearch()} />
  },
})
