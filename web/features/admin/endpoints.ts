import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/admin'

// Every screen of the operators imports this with its queries: from then on their operations are known like any other.
Object.assign(endpoints, later)
