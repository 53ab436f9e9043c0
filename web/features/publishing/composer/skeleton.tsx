export const ComposerSkeleton = () => (
  <div className="grow" aria-hidden>
    <div className="flex h-12 items-center justify-between border-b px-4">
      <div className="skeleton h-5 w-40" />
      <div className="skeleton h-8 w-28" />
    </div>
    <div className="grid grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(0,1fr)_21rem] xl:grid-cols-[minmax(0,1fr)_24.5rem]">
      <div className="mx-auto grid w-full max-w-[46rem] content-start gap-4 px-3 pt-4 md:px-6">
        <div className="skeleton h-9 w-48 rounded-full" />
        <div className="skeleton h-96 rounded-[14px]" />
      </div>
      <div className="skeleton m-4 hidden h-96 lg:block" />
    </div>
  </div>
)
