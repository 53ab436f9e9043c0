import type { App } from '../../core/http/app.ts'
import type { PublicWeb } from '../../core/platform/public-web.ts'
import * as api from './api.ts'
import { createLinkCards } from './link-cards.ts'

export function linkCardRoutes(app: App, web: PublicWeb) {
  const cardOf = createLinkCards(web)
  app.route({ ...api.getLinkCard, handler: (request) => cardOf(request.scope, request.query.url) })
}
