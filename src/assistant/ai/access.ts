import { AppError } from '../../core/errors.ts'
import type { Limit } from '../../core/platform/limits.ts'
import type { Ports } from '../../services.ts'

/** Throws `ai_not_configured` if no model is set up. */
export function assertModel({ model }: Pick<Ports, 'model'>): void {
  if (!model.configured) throw new AppError('ai_not_configured', undefined, { retryAfter: 3_600 })
}

/** The limit of a person's requests to the model, which writing and the bot share. */
export const callLimit = ({ settings }: Pick<Ports, 'settings'>, userId: string | null): Limit => ({
  key: `ai ${userId}`,
  tries: settings.aiCallsPerMinute,
  seconds: 60,
})
