import { AppError } from '../errors.ts'

/** Who agrees that a workspace gets another plan. A payment provider has its place behind this. */
export interface Payments {
  /** Whether owners may choose by themselves at all. */
  readonly chosenByOwners: boolean
  /** Resolves when the change may be made now. Throws `billing_managed`. */
  agree(change: { workspaceId: string; plan: string }): Promise<void>
}

/** `open`: any plan at once, free of charge. `managed`: the operator alone gives plans. */
export const createPayments = (billing: 'open' | 'managed'): Payments => ({
  chosenByOwners: billing === 'open',
  agree: async () => {
    if (billing === 'managed') throw new AppError('billing_managed')
  },
})
