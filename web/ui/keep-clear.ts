/** What no toast may cover, at the bottom of the window. */
const places = new Set<Element>()
const observer = new ResizeObserver(measure)

/** The distance from the bottom of the window within which a place counts as being there. */
const NEAR = 80

/** Tells the toasts how high the places reach. One that is hidden, or elsewhere in a wide window, does not count. */
function measure() {
  const shown = [...places]
    .map((one) => one.getBoundingClientRect())
    .filter(({ height, bottom }) => height > 0 && bottom > innerHeight - NEAR)
  const kept = Math.max(0, ...shown.map(({ top }) => innerHeight - top))
  document.documentElement.style.setProperty('--kept-clear', `${Math.round(kept)}px`)
}

/** A ref for what stays at the bottom of the window, such as a form or a bar. Toasts appear above it. */
export function keepClear(element: Element | null) {
  if (!element) return undefined
  places.add(element)
  observer.observe(element)
  return () => {
    places.delete(element)
    observer.unobserve(element)
    measure()
  }
}
