import { AppError } from '../core/errors.ts'
import type { Network, Networks } from './network.ts'

/** The networks by their neutral name, in any case. Throws `unknown_provider`. */
export function createNetworks(list: Network[]): Networks {
  return {
    get(platform) {
      const found = list.find((network) => network.platform === platform.toUpperCase())
      if (!found) throw new AppError('unknown_provider')
      return found
    },
    all: () => list,
  }
}
