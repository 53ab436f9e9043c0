import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/predictions'

// All lazily loaded prediction code imports this first, which adds its operations to the known ones.
Object.assign(endpoints, later)
