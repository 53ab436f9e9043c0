import { inPieces } from '../../core/platform/pieces.ts'
import { type Power, rounded, simulatePower } from './rules.ts'

/** The latest forecasts by their arguments, which decide them alone. */
const forecasts = new Map<string, Promise<Power[]>>()
const KEPT = 500

/** Returns for each ratio the share of tests that find it. Each forecast is simulated once, also for several callers. */
export function powerOf(sigma: number, blocks: number): Promise<Power[]> {
  const key = `${rounded(sigma)} ${blocks}`
  const known = forecasts.get(key)
  if (known) return known
  const forecast = inPieces(simulatePower(rounded(sigma), blocks))
  const [oldest] = forecasts.keys()
  if (forecasts.size >= KEPT && oldest !== undefined) forecasts.delete(oldest)
  forecasts.set(key, forecast)
  return forecast
}
