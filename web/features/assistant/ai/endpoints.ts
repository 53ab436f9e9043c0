import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/ai'

// Whatever of the AI is opened imports this first: from then on its operations are known like any other.
Object.assign(endpoints, later)
