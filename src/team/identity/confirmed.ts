import { AppError } from '../../core/errors.ts'

/** Refuses what an account may not do before its address or number is confirmed. `what` ends the sentence. */
export function refuseUnconfirmed(confirmed: boolean, what: string): void {
  if (confirmed) return
  throw new AppError('invalid_state', `Confirm your e-mail address or phone number first, then ${what}.`, {
    current: 'unconfirmed',
    allowed: ['confirmed'],
  })
}
