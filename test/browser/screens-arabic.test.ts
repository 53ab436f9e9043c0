import { everyScreen } from './screens.ts'

// Colours do not depend on the language: one theme at each width, both with SCREENS=all.
everyScreen('ar', { 1440: 'light', 390: 'dark', 320: 'light' })
