import { everyScreen } from './screens.ts'

everyScreen('en', { 1440: 'light', 390: 'dark', 320: 'light' })
