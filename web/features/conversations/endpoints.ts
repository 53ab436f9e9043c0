import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/inbox'

// All lazily loaded conversation code imports this first, which adds its operations to the known ones.
Object.assign(endpoints, later)
