import { type ComponentProps, Suspense } from 'react'
import { lazy } from '../../ui/part.tsx'

const ProfileMenu = lazy(async () => ({ default: (await import('./profile-menu.tsx')).ProfileMenu }))
const Mark = lazy(async () => ({ default: (await import('./sandbox-mark.tsx')).SandboxMark }), { small: true })
const Bell = lazy(async () => ({ default: (await import('../team/notifications/bell.tsx')).Bell }))

/** The person's menu. It loads after the frame, which reserves its space. */
export const AccountMenu = (props: ComponentProps<typeof ProfileMenu>) => (
  <Suspense fallback={<span className="h-10 grow max-md:size-11 max-md:grow-0" />}>
    <ProfileMenu {...props} />
  </Suspense>
)

/** The bell, which also loads after the frame. */
export const LazyBell = (props: ComponentProps<typeof Bell>) => (
  <Suspense fallback={<span className={props.compact ? 'size-11' : 'size-8'} />}>
    <Bell {...props} />
  </Suspense>
)

/** The sandbox mark, which appears once the sandbox's address is known. */
export const LazySandboxMark = () => (
  <Suspense>
    <Mark />
  </Suspense>
)
