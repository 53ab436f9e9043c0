import { everyScreen } from './screens.ts'

everyScreen('en', [
  [1440, 'light'],
  [320, 'dark'],
])
