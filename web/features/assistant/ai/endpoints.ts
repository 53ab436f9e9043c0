import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/ai'

// All lazily loaded AI code imports this first, which adds its operations to the known ones.
Object.assign(endpoints, later)
