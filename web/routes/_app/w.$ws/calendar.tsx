import { createFileRoute } from '@tanstack/react-router'
import { isView, type CalendarView } from '../../../features/publishing/calendar/views.ts'
import { CalendarScreen } from '../../../features/publishing/calendar/screen.tsx'
import { type Filter, readFilter } from '../../../features/publishing/posts/read-filter.ts'

interface Search extends Filter {
  view?: CalendarView
  date?: string
}

/** Parses the search parameters. The router passes unknown ones through, so the screen parses them again. */
const read = (search: Record<string, unknown>): Search => ({
  ...(isView(search['view']) ? { view: search['view'] } : {}),
  ...(typeof search['date'] === 'string' && /^\d{4}-\d\d-\d\d$/.test(search['date']) ? { date: search['date'] } : {}),
  ...readFilter(search),
})

export const Route = createFileRoute('/_app/w/$ws/calendar')({
  validateSearch: read,
  component: function Calendar() {
    const { view, date, ...filter } = read({ ...Route.useSearch() })
    return <CalendarScreen view={view} date={date} filter={filter} />
  },
})
