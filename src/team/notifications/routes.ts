import type { App } from '../../core/http/app.ts'
import * as api from './api.ts'
import {
  getPreferences,
  listNotifications,
  readNotification,
  readNotifications,
  setPreferences,
  type SetQuietHours,
} from './notifications.ts'

export function notificationRoutes(app: App, setQuietHours: SetQuietHours) {
  app.route({
    ...api.listNotifications,
    handler: ({ scope, caller, query }) => listNotifications(scope, caller!.userId, query),
  })
  app.route({
    ...api.readNotification,
    handler: ({ scope, caller, params }) => readNotification(scope, caller!.userId, params.id),
  })
  app.route({
    ...api.readNotifications,
    handler: ({ scope, caller, body }) => readNotifications(scope, caller!.userId, body?.upTo),
  })
  app.route({
    ...api.getNotificationPreferences,
    handler: ({ scope, caller }) => getPreferences(scope, caller!.userId),
  })
  app.route({
    ...api.setNotificationPreferences,
    handler: ({ scope, caller, body }) => setPreferences(scope, caller!.userId, body, setQuietHours),
  })
}
