import { everyScreen } from './screens.ts'

everyScreen('en', 'light', [1440, 390, 320])
