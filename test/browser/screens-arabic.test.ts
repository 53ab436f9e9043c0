import { everyScreen } from './screens.ts'

everyScreen('ar', { 1440: 'dark', 320: 'light' })
