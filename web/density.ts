export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

const KEY = 'parley.density'

export function readDensity(): Density {
  try {
    return localStorage.getItem(KEY) === 'compact' ? 'compact' : 'comfortable'
  } catch {
    // Storage may be blocked. Fall back to the default.
    return 'comfortable'
  }
}

/** Applies the density of lists and stores it in this browser. */
export function writeDensity(density: Density) {
  try {
    if (density === 'compact') localStorage.setItem(KEY, density)
    else localStorage.removeItem(KEY)
  } catch {
    // Without storage, the choice lasts until the page closes.
  }
  document.documentElement.dataset['density'] = density
}
