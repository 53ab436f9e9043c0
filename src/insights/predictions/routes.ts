import type { App } from '../../core/http/app.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { getAccuracy, getBestTimes, listPredictions, makePredictions } from './predictions.ts'

export function predictionRoutes(app: App, ports: Pick<Services, 'settings'>) {
  app.route({ ...api.listPredictions, handler: ({ scope, params }) => listPredictions(scope, params.id) })
  app.route({ ...api.makePredictions, handler: ({ scope, params }) => makePredictions(scope, ports, params.id) })
  app.route({ ...api.getPredictionAccuracy, handler: ({ scope, query }) => getAccuracy(scope, query.accountId) })
  app.route({ ...api.getBestTimes, handler: ({ scope, query }) => getBestTimes(scope, query.accountId) })
}
