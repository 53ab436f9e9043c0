interface Said {
  detail: string
  fix?: string
}

const access: Said = { detail: 'This can’t be checked until access is restored.' }
const again = 'Reconnect the account.'
const grant = 'Reconnect the account and grant all permissions.'
const used = '{used} of {limit} requests used in the last hour.'
const calls: Said = { detail: used, fix: 'No action needed. Publishing will continue automatically.' }
const taken = '{used} of {limit} posts used in the last 24 hours.'
const posts: Said = {
  detail: taken,
  fix: 'No action needed. Posts over the limit wait and are then published automatically.',
}

/** The results of the checks of an account, by check and result. */
export const en = {
  account: {
    ok: { detail: 'The account is connected.' },
    access,
    paused: { detail: 'The account is paused, so its posts are on hold.', fix: 'Resume the account.' },
  },
  publishing: {
    ok: { detail: 'Publishing isn’t paused.' },
    warning: {
      detail: 'Publishing is paused for the whole workspace.',
      fix: 'Resume publishing in settings.',
    },
  },
  app: {
    ok: { detail: 'The Parley app is set up. The network doesn’t say whether it’s live.' },
    failed: {
      detail: 'The Parley app isn’t set up for this network.',
      fix: 'Ask your Parley administrator to set the app’s ID and secret.',
    },
  },
  token: {
    ok: { detail: 'Parley has access to this account.' },
    failed: { detail: 'Parley can’t access this account, so its posts are on hold.', fix: again },
    unknown: { detail: 'Access couldn’t be checked because the network’s hourly request limit has been reached.' },
  },
  expiry: {
    ok: { detail: 'Access is valid until {at} and will be renewed automatically before then.' },
    endless: { detail: 'Access doesn’t expire.' },
    access,
    over: { detail: 'Access expired on {at}.', fix: again },
    soon: { detail: 'Access expires on {at} and can’t be renewed.', fix: again },
  },
  scope: {
    ok: { detail: 'All permissions are granted.' },
    access,
    failed: { detail: '{scope} hasn’t been granted. It’s needed for {neededFor}.', fix: grant },
    warning: { detail: '{scope} hasn’t been granted. It’s needed for {neededFor}.', fix: grant },
  },
  calls: {
    none: { detail: 'The network has no hourly request limit.' },
    ok: { detail: used },
    warning: calls,
    failed: calls,
    blocked: {
      detail: 'The network is making Parley wait until {at}.',
      fix: 'No action needed. Publishing will continue automatically.',
    },
  },
  posts: {
    may: { detail: 'The account can post.' },
    ok: { detail: taken },
    warning: posts,
    failed: posts,
    unknown: { detail: 'The network doesn’t say how many posts are left today.' },
    access,
  },
  media: {
    ok: { detail: 'Files are served from {url}.' },
    failed: {
      detail: 'Networks can’t download files from {url}.',
      fix: 'Ask your Parley administrator to set PUBLIC_URL to an HTTPS address.',
    },
    unreached: {
      detail: 'Parley can’t reach itself at {url}.',
      fix: 'Ask your Parley administrator to make sure the address can be reached from the internet.',
    },
  },
  webhooks: {
    ok: { detail: 'Comments and messages arrive in real time.' },
    none: { detail: 'Parley can’t receive comments or messages from this network.' },
    failed: { detail: 'The network isn’t sending comments and messages to Parley.', fix: again },
    unknown: { detail: 'The network doesn’t say whether it sends comments and messages to Parley.' },
    access,
  },
}

/** For permissions that the network does not report again. */
export const grantedBefore = 'All permissions were granted.'

/** Shorter texts for a screen, which writes times and permissions for its reader. */
export const screen = {
  expiry: {
    ok: { detail: 'Valid until {at}, renewed automatically.' },
    over: { detail: 'Expired on {at}.', fix: again },
    soon: { detail: 'Expires on {at} and can’t be renewed.', fix: again },
  },
  scope: {
    failed: { detail: '{need}: not granted ({scope}).', fix: grant },
    warning: { detail: '{need}: not granted ({scope}).', fix: grant },
  },
  calls: { blocked: en.calls.blocked },
}
