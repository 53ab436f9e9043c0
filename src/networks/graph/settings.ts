import type { Config } from '../../core/config.ts'
import type { Places } from '../place.ts'

/** The application registered at the sandbox's Graph API. */
export const sandboxApp = ({ netPage: { appId, appSecret } }: Config) =>
  appId && appSecret ? { id: appId, secret: appSecret } : { id: 'sandbox-page-app', secret: 'sandbox-page-secret' }

/** The addresses and settings that every network of the Graph API shares. */
export function graphSettings(config: Config, place: Places) {
  const { netPage, graphVersion: version, timeScale, sandbox } = config
  const app = sandbox ? sandboxApp(config) : { id: netPage.appId, secret: netPage.appSecret }
  return {
    version,
    timeScale,
    appId: app.id,
    appSecret: app.secret,
    verifyToken: netPage.verifyToken,
    uploadUrl: netPage.uploadUrl,
    graphUrl: () => place(netPage.graphUrl, 'graph', 'https://graph.facebook.com'),
    dialogUrl: () => place(netPage.dialogUrl, 'dialog', 'https://www.facebook.com', 'address'),
  }
}
