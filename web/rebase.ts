const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The values of a form that started from `base`, over the `latest` stored ones: only edited fields keep their values. */
export const rebase = <T extends object>(values: T, base: T, latest: T): T => {
  const edited = Object.entries(values).filter(([field, value]) => !isSame(value, base[field as keyof T]))
  return { ...latest, ...Object.fromEntries(edited) }
}
