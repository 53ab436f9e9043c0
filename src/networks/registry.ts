import type { Config } from '../core/config.ts'
import { AppError } from '../core/errors.ts'
import { sandboxApp } from './graph/settings.ts'
import type { Network, Networks } from './network.ts'
import { pageOf } from './page/page.ts'
import { photoOf } from './photo/photo.ts'
import { placesOf } from './place.ts'
import { sandboxClient, videoOf } from './video/video.ts'

/** Opens every network, real or in the sandbox. They differ only in addresses and credentials. */
export function openNetworks(config: Config, at: () => { address: string; inside: string }): Networks {
  const places = placesOf(config, at)
  return createNetworks([pageOf, photoOf, videoOf].map((open) => open(config, places)))
}

/** The product's applications, as registered at the sandbox's networks. */
export const sandboxApps = (config: Config) => ({ page: sandboxApp(config), video: sandboxClient(config) })

/** Returns the networks by their neutral name, in upper or lower case. `get` throws `unknown_provider`. */
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
