export const VIEWS = ['weeks', 'month', 'week', 'agenda'] as const
export type View = (typeof VIEWS)[number]

export const isView = (value: unknown): value is View => VIEWS.some((one) => one === value)
