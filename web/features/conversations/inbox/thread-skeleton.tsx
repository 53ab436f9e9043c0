/** The placeholder of a thread while it loads. */
export const ThreadSkeleton = () => (
  <div className="flex grow flex-col" aria-hidden>
    <div className="flex h-12 items-center gap-3 border-b px-4">
      <div className="skeleton size-8 rounded-full!" />
      <div className="skeleton h-4 w-32" />
    </div>
    <div className="grid gap-3 p-4">
      <div className="skeleton h-10 w-2/3" />
      <div className="skeleton h-10 w-1/2 justify-self-end" />
      <div className="skeleton h-10 w-3/5" />
    </div>
  </div>
)
