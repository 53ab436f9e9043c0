import { createFileRoute } from '@tanstack/react-router'
import { NotFound } from '../../ui/states.tsx'

/** An unknown address, inside the frame so that the navigation stays. */
export const Route = createFileRoute('/_app/$')({
  component: () => (
    <div className="grid grow content-center pb-16">
      <NotFound />
    </div>
  ),
})
