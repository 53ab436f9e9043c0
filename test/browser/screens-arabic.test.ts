import { everyScreen } from './screens.ts'

everyScreen('ar', 'dark', [320, 390, 1440])
