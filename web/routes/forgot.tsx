import { createFileRoute } from '@tanstack/react-router'
import { ForgotForm } from '../features/team/auth/forgot-form.tsx'

export const Route = createFileRoute('/forgot')({ component: ForgotForm })
