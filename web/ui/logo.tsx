/** The logo and name of the product. */
export const Logo = () => (
  <span className="flex items-center gap-2 text-base font-semibold tracking-tight">
    <svg viewBox="0 0 32 32" className="size-6 rounded-md bg-accent text-on-accent" aria-hidden>
      <path
        d="M9 8h9a6 6 0 0 1 0 12h-4.5L9 24z"
        fill="none"
        stroke="currentColor"
        strokeWidth="3"
        strokeLinejoin="round"
      />
    </svg>
    Parley
  </span>
)
