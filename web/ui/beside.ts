/**
 * The element that takes the focus when the row of a `[data-remove]` button goes: the same button of the next row, else
 * of the previous one, else the nearest element around that `field` selects.
 */
export function besideOf(button: HTMLElement, field: string): HTMLElement | null {
  const all = [...(button.closest('ul')?.querySelectorAll<HTMLElement>('[data-remove]') ?? [])]
  const at = all.indexOf(button)
  const row = all[at + 1] ?? all[at - 1]
  if (row) return row
  for (let around = button.parentElement; around; around = around.parentElement) {
    const found = around.querySelector<HTMLElement>(field)
    if (found) return found
  }
  return null
}
