import { everyScreen } from './screens.ts'

everyScreen('ar')
