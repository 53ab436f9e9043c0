/** The modifier key of app-wide commands. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'

/** Keys to press together, as printed on a keyboard. */
export const Keys = ({ keys }: { keys: readonly string[] }) => (
  <span dir="ltr" className="inline-flex gap-1">
    {keys.map((key) => (
      <kbd
        key={key}
        className="inline-grid h-4.5 min-w-4.5 place-items-center rounded-sm border border-line-strong bg-surface px-1 font-sans text-2xs font-medium text-muted"
      >
        {key}
      </kbd>
    ))}
  </span>
)
