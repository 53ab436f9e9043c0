import { createFileRoute } from '@tanstack/react-router'
import { CalendarScreen } from '../../../features/calendar/screen.tsx'

interface Search {
  view?: 'month' | 'agenda'
  date?: string
}

export const Route = createFileRoute('/_app/w/$ws/calendar')({
  validateSearch: (search: Record<string, unknown>): Search => ({
    ...(search['view'] === 'month' || search['view'] === 'agenda' ? { view: search['view'] } : {}),
    ...(typeof search['date'] === 'string' && /^\d{4}-\d\d-\d\d$/.test(search['date']) ? { date: search['date'] } : {}),
  }),
  component: function Calendar() {
    return <CalendarScreen {...Route.useSearch()} />
  },
})
