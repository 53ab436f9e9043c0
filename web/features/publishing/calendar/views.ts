export const VIEWS = ['weeks', 'month', 'week', 'agenda'] as const
export type CalendarView = (typeof VIEWS)[number]

export const isView = (value: unknown): value is CalendarView => VIEWS.some((one) => one === value)
