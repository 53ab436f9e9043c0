import '../endpoints.ts'
import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/bot'

// All lazily loaded bot code imports this first, which adds its operations to the known ones.
Object.assign(endpoints, later)
