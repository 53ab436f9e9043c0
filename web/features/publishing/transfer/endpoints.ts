import endpoints from 'virtual:endpoints'
import later from 'virtual:endpoints/transfer'

// All lazily loaded import and export code imports this first, which adds its operations to the known ones.
Object.assign(endpoints, later)
