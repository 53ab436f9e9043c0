import { everyScreen } from './screens.ts'

everyScreen('ar', [
  [320, 'light'],
  [1440, 'dark'],
])
