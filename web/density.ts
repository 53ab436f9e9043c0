export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

const KEY = 'parley.density'

export function readDensity(): Density {
  try {
    return localStorage.getItem(KEY) === 'compact' ? 'compact' : 'comfortable'
  } catch {
    // Storage may be forbidden: then lists have room.
    return 'comfortable'
  }
}

/** The density of lists in this browser. */
export function writeDensity(density: Density) {
  try {
    if (density === 'compact') localStorage.setItem(KEY, density)
    else localStorage.removeItem(KEY)
  } catch {
    // It then lasts until the page is closed.
  }
  document.documentElement.dataset['density'] = density
}
