import { AppError } from '../../core/errors.ts'

/** Refuses an act that needs a confirmed address or number. `what` ends the sentence. */
export function assertConfirmed(confirmed: boolean, what: string): void {
  if (confirmed) return
  throw new AppError('invalid_state', `Confirm your email address or phone number first, then ${what}.`, {
    current: 'unconfirmed',
    allowed: ['confirmed'],
  })
}
