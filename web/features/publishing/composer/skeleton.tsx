export const ComposerSkeleton = () => (
  <div className="grow" aria-hidden>
    <div className="flex h-14 items-center justify-between border-b px-6">
      <div className="skeleton h-5 w-32" />
      <div className="skeleton h-8 w-56" />
    </div>
    <div className="mx-auto grid w-full max-w-[76rem] grid-cols-[minmax(0,1fr)] gap-6 px-6 py-5 lg:grid-cols-[minmax(0,1fr)_24rem]">
      <div className="grid content-start gap-5">
        <div className="skeleton h-9 w-48 rounded-full" />
        <div className="skeleton h-96" />
      </div>
      <div className="skeleton hidden h-72 lg:block" />
    </div>
  </div>
)
