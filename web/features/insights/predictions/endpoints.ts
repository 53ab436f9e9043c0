import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/predictions'

// Whatever of predictions is opened imports this first: from then on its operations are known like any other.
Object.assign(endpoints, later)
