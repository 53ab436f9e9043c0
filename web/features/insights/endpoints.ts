import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/insights'

// The analytics screens import this first, which adds their operations to the known ones.
Object.assign(endpoints, later)
