import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/_app/w/$ws/')({
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/w/$ws/calendar', params })
  },
})
