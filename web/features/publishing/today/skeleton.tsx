const Lines = ({ count, className }: { count: number; className: string }) =>
  Array.from({ length: count }, (_, index) => <div key={index} className={`skeleton ${className}`} />)

/** The placeholder of the page while it loads. */
export const TodaySkeleton = () => (
  <div
    aria-hidden
    className="grid grid-cols-[minmax(0,1fr)] content-start gap-x-8 px-4 py-6 lg:grid-cols-[minmax(0,1fr)_20rem] lg:px-6 lg:pt-7"
  >
    <div className="skeleton mb-5 h-7 w-96 max-w-full lg:col-span-2" />
    <div className="grid content-start gap-2">
      <Lines count={1} className="h-5 w-32" />
      <Lines count={3} className="h-13" />
      <Lines count={1} className="mt-4 h-5 w-32" />
      <Lines count={4} className="h-10" />
    </div>
    <div className="grid content-start gap-2 max-lg:mt-6">
      <Lines count={1} className="h-5 w-32" />
      <Lines count={3} className="h-13" />
    </div>
  </div>
)
