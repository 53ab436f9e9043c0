// What the frame shows beside its navigation, as one file that loads together with the screen.
export { Bell } from '../team/notifications/bell.tsx'
export { ConnectionBar } from './connection-bar.tsx'
export { default as Count } from './count.tsx'
export { ProfileMenu } from './profile-menu.tsx'
export { SandboxMark } from './sandbox-mark.tsx'
export { Tabs } from './tabs.tsx'
