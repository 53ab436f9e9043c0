import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/insights'

// The screens of figures import this first: from then on their operations are known like any other.
Object.assign(endpoints, later)
