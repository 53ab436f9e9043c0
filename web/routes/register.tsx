import { createFileRoute, redirect } from '@tanstack/react-router'
import { RegisterForm } from '../features/team/auth/register-form.tsx'
import { session } from '../session.ts'

export const Route = createFileRoute('/register')({
  beforeLoad: async () => {
    const signedIn = await session.ensure().catch(() => false)
    if (signedIn) throw redirect({ to: '/' })
  },
  component: RegisterForm,
})
