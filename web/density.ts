import { readStored, writeStored } from './storage.ts'

export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

const KEY = 'parley.density'

export const readDensity = (): Density => (readStored(KEY) === 'compact' ? 'compact' : 'comfortable')

/** Applies the density of lists and stores it in this browser. */
export function writeDensity(density: Density) {
  writeStored(KEY, density === 'compact' ? density : null)
  document.documentElement.dataset['density'] = density
}
