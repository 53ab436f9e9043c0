import { createFileRoute, redirect } from '@tanstack/react-router'
import { OnboardingScreen } from '../features/team/onboarding/screen.tsx'
import { meQuery } from '../queries.ts'
import { session } from '../session.ts'
import { rareTexts } from '../i18n.tsx'

export const Route = createFileRoute('/onboarding')({
  beforeLoad: async ({ context }) => {
    if (!(await session.ensure())) throw redirect({ to: '/login', search: { to: '/onboarding' } })
    await Promise.all([rareTexts(), context.client.ensureQueryData(meQuery)])
  },
  component: OnboardingScreen,
})
