import type { Profile } from '../../../src/team/identity/api.ts'
import { lazy } from '../../ui/part.tsx'
import { isVisitor } from './demo/visitor.ts'

const parts = () => import('./frame-parts.ts')

export const Bell = lazy(async () => ({ default: (await parts()).Bell }))
export const ProfileMenu = lazy(async () => ({ default: (await parts()).ProfileMenu }))
/** The navigation at the bottom. Only needed on a phone. */
export const Tabs = lazy(async () => ({ default: (await parts()).Tabs }))
/** The count of an entry of the navigation. */
export const Count = lazy(async () => ({ default: (await parts()).Count }), { small: true })
/** Appears once the address of the sandbox is known. */
export const SandboxMark = lazy(async () => ({ default: (await parts()).SandboxMark }), { small: true })
export const ConnectionBar = lazy(async () => ({ default: (await parts()).ConnectionBar }), { small: true })
/** Only needed until the email address is confirmed. */
export const ConfirmBar = lazy(() => import('./confirm-bar.tsx'))
/** Only the demo needs it. */
export const DemoBar = lazy(() => import('./demo/demo-bar.tsx'))

/** The frame appears without its parts after this time, so that a stalled connection does not hold it back. */
const MOST_MS = 1_000

/** Whether the person is asked to confirm their email address. */
export const confirms = ({ email, emailConfirmed }: Profile) => Boolean(email) && !emailConfirmed && !isVisitor(email)

/**
 * Loads what the frame shows for a person, so that it appears with the first screen: React delays whatever appears
 * later by 300 ms. A part that cannot be loaded shows its own retry.
 */
export async function loadFrame(me: Profile): Promise<void> {
  const always = [Bell, ProfileMenu, Tabs, Count, SandboxMark, ConnectionBar]
  const wanted = [...always, ...(confirms(me) ? [ConfirmBar] : []), ...(isVisitor(me.email) ? [DemoBar] : [])]
  const loaded = Promise.allSettled(wanted.map(({ load }) => load()))
  await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, MOST_MS))])
}
