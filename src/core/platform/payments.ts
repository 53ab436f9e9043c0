import { AppError } from '../errors.ts'

/** Decides whether a workspace may get another plan. A payment provider can implement this. */
export interface Payments {
  /** Whether owners may choose a plan themselves. */
  readonly chosenByOwners: boolean
  /** Resolves if the change may be made now. Throws `billing_managed`. */
  agree(change: { workspaceId: string; plan: string }): Promise<void>
}

/** `open`: any plan at once, free of charge. `managed`: only the operator assigns plans. */
export const createPayments = (billing: 'open' | 'managed'): Payments => ({
  chosenByOwners: billing === 'open',
  agree: async () => {
    if (billing === 'managed') throw new AppError('billing_managed')
  },
})
