interface Said {
  detail: string
  fix?: string
}

const access: Said = { detail: 'This can be looked at once the access works again.' }
const again = 'Connect the account again.'
const grant = 'Connect the account again and grant every permission.'
const used = '{used} of {limit} calls of the hour are used.'
const calls: Said = { detail: used, fix: 'Wait: posts go out by themselves as calls become free.' }
const taken = '{used} of {limit} posts of the last 24 hours are used.'
const posts: Said = { detail: taken, fix: 'Wait until the first of them is a day old.' }

/** What is found of an account, by what was looked at and how it stands. */
export const en = {
  account: {
    ok: { detail: 'The account is connected.' },
    access,
    paused: { detail: 'The account is paused: its posts wait.', fix: 'Resume the account.' },
  },
  publishing: {
    ok: { detail: 'Publishing is not paused.' },
    warning: {
      detail: 'Publishing of the whole workspace is paused.',
      fix: 'Resume publishing in the settings.',
    },
  },
  app: {
    ok: { detail: 'The application is set up. Whether it is live cannot be read from the network.' },
    failed: {
      detail: 'The application of this network is not set up.',
      fix: 'Have the operator set its id and secret.',
    },
  },
  token: {
    ok: { detail: 'The network accepts our access.' },
    failed: { detail: 'There is no access that works: posts of the account wait.', fix: again },
    unknown: { detail: 'The network could not be asked: no calls are left this hour.' },
  },
  expiry: {
    ok: { detail: 'The access is good until {at} and renewed before that.' },
    endless: { detail: 'The access does not end by itself.' },
    access,
    over: { detail: 'The access ended at {at}.', fix: again },
    soon: { detail: 'The access ends for good at {at}.', fix: again },
  },
  scope: {
    ok: { detail: 'Every permission is granted.' },
    access,
    failed: { detail: '{scope} is not granted: it is needed for {neededFor}.', fix: grant },
    warning: { detail: '{scope} is not granted: it is needed for {neededFor}.', fix: grant },
  },
  calls: {
    none: { detail: 'The network counts no calls by the hour.' },
    ok: { detail: used },
    warning: calls,
    failed: calls,
    blocked: { detail: 'The network has us wait until {at}.', fix: 'Wait: posts go out by themselves.' },
  },
  posts: {
    may: { detail: 'The account may post.' },
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
      fix: 'Have the operator set PUBLIC_URL to an address with https.',
    },
    unreached: {
      detail: 'Parley does not reach itself at {url}.',
      fix: 'Have the operator look whether the address leads here from outside.',
    },
  },
  webhooks: { ok: { detail: 'Not used yet: nothing has to be subscribed.' } },
}

/** Of permissions that the network does not tell again. */
export const grantedBefore = 'Every permission was granted.'

/** Where a screen has room for less, and knows how the reader writes times and permissions. */
export const screen = {
  expiry: {
    ok: { detail: 'Good until {at}, and renewed before that.' },
    over: { detail: 'It ended on {at}.', fix: again },
    soon: { detail: 'It ends for good on {at}.', fix: again },
  },
  scope: {
    failed: { detail: '{need}: not granted ({scope}).', fix: grant },
    warning: { detail: '{need}: not granted ({scope}).', fix: grant },
  },
  calls: { blocked: en.calls.blocked },
}
