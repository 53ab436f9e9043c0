interface Said {
  detail: string
  fix?: string
}

const access: Said = { detail: 'This can be checked once the access works again.' }
const again = 'Connect the account again.'
const grant = 'Connect the account again and grant every permission.'
const used = '{used} of {limit} calls in the last hour are used.'
const calls: Said = { detail: used, fix: 'Wait. Posts go out automatically as calls become free.' }
const taken = '{used} of {limit} posts in the last 24 hours are used.'
const posts: Said = { detail: taken, fix: 'Wait until the oldest of them is a day old.' }

/** The results of the checks of an account, by check and result. */
export const en = {
  account: {
    ok: { detail: 'The account is connected.' },
    access,
    paused: { detail: 'The account is paused. Its posts wait.', fix: 'Resume the account.' },
  },
  publishing: {
    ok: { detail: 'Publishing is not paused.' },
    warning: {
      detail: 'Publishing is paused for the whole workspace.',
      fix: 'Resume publishing in the settings.',
    },
  },
  app: {
    ok: { detail: 'The application is set up. The network does not tell whether it is live.' },
    failed: {
      detail: 'The application of this network is not set up.',
      fix: 'Ask the operator to set its ID and secret.',
    },
  },
  token: {
    ok: { detail: 'The network accepts our access.' },
    failed: { detail: 'There is no working access. Posts of the account wait.', fix: again },
    unknown: { detail: 'The network could not be checked: no calls are left this hour.' },
  },
  expiry: {
    ok: { detail: 'The access is valid until {at} and is renewed before then.' },
    endless: { detail: 'The access does not expire.' },
    access,
    over: { detail: 'The access expired at {at}.', fix: again },
    soon: { detail: 'The access expires at {at} and can’t be renewed.', fix: again },
  },
  scope: {
    ok: { detail: 'Every permission is granted.' },
    access,
    failed: { detail: '{scope} is not granted: it is needed for {neededFor}.', fix: grant },
    warning: { detail: '{scope} is not granted: it is needed for {neededFor}.', fix: grant },
  },
  calls: {
    none: { detail: 'The network has no hourly limit of calls.' },
    ok: { detail: used },
    warning: calls,
    failed: calls,
    blocked: { detail: 'The network asks us to wait until {at}.', fix: 'Wait. Posts go out automatically.' },
  },
  posts: {
    may: { detail: 'The account can post.' },
    ok: { detail: taken },
    warning: posts,
    failed: posts,
    unknown: { detail: 'The network does not say how many posts are left today.' },
    access,
  },
  media: {
    ok: { detail: 'Files are served at {url}.' },
    failed: {
      detail: 'Networks cannot fetch files from {url}.',
      fix: 'Ask the operator to set PUBLIC_URL to an https address.',
    },
    unreached: {
      detail: 'Parley can’t reach itself at {url}.',
      fix: 'Ask the operator to check that the address can be reached from outside.',
    },
  },
  webhooks: { ok: { detail: 'Not used yet. No subscription is needed.' } },
}

/** For permissions that the network does not report again. */
export const grantedBefore = 'Every permission was granted.'

/** Shorter texts for a screen, which writes times and permissions for its reader. */
export const screen = {
  expiry: {
    ok: { detail: 'Valid until {at}, and renewed before then.' },
    over: { detail: 'It expired on {at}.', fix: again },
    soon: { detail: 'It expires on {at} and can’t be renewed.', fix: again },
  },
  scope: {
    failed: { detail: '{need}: not granted ({scope}).', fix: grant },
    warning: { detail: '{need}: not granted ({scope}).', fix: grant },
  },
  calls: { blocked: en.calls.blocked },
}
