import '../endpoints.ts'
import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/bot'

// Whatever of the bot is opened imports this first: from then on its operations are known like any other.
Object.assign(endpoints, later)
