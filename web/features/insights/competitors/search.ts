/** The available periods, in days. */
export const PERIODS = [7, 28, 90] as const
export type CompetitorDays = (typeof PERIODS)[number]

export interface CompetitorsSearch {
  days?: CompetitorDays
  account?: string
}

export function readSearch({ days, account }: Record<string, unknown>): CompetitorsSearch {
  const period = PERIODS.find((one) => one === Number(days))
  return { ...(period && { days: period }), ...(typeof account === 'string' && { account }) }
}
