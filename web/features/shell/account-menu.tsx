import { type ComponentProps, lazy, Suspense } from 'react'

const ProfileMenu = lazy(async () => ({ default: (await import('./profile-menu.tsx')).ProfileMenu }))

/** The menu of the person; its script comes after the frame, which keeps its room. */
export const AccountMenu = (props: ComponentProps<typeof ProfileMenu>) => (
  <Suspense fallback={<span className="h-10 grow max-md:size-11 max-md:grow-0" />}>
    <ProfileMenu {...props} />
  </Suspense>
)
