import { type ComponentProps, Suspense } from 'react'
import { Bell, ProfileMenu, SandboxMark } from './frame.ts'

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
    <SandboxMark />
  </Suspense>
)
