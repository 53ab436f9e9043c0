import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/transfer'

// Whatever imports or exports posts imports this first: from then on its operations are known like any other.
Object.assign(endpoints, later)
