import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/admin'

// Every operator screen imports this with its queries, which adds the operators' operations to the known ones.
Object.assign(endpoints, later)
