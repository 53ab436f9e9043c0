import { createThreadDrivers } from '../src/conversations/drivers.ts'
import { createCrypto } from '../src/core/platform/crypto.ts'
import { drivers as ofPosts } from '../src/publishing/sending/drivers.ts'
import type { Drivers } from '../src/delivery/driver.ts'

/** All drivers of the delivery machine, composed as in main.ts. */
export const drivers: Drivers = {
  ...ofPosts,
  of: { ...ofPosts.of, ...createThreadDrivers(createCrypto('5e'.repeat(32)), { humanAgent: true }) },
}
