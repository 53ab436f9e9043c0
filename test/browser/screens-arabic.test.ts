import { everyScreen } from './screens.ts'

everyScreen('ar', { 1440: 'dark', 390: 'light', 320: 'dark' })
