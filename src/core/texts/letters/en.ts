/** Letters about sign-in methods and about membership in workspaces. */
export const en = {
  hello: 'Hi {name},',
  helloNobody: 'Hi,',
  comma: ', ',
  resetSubject: 'Reset your Parley password',
  reset: 'Someone, most likely you, asked to reset your Parley password.',
  resetButton: 'Choose new password',
  resetEnd:
    'The link works once and expires in 30 minutes. If you didn’t request it, ignore this email; your password stays the same.',
  codeSubject: '{code} is your Parley code',
  code: {
    login: 'Use this code to sign in to Parley:',
    verify: 'Use this code to confirm your email address for Parley:',
  },
  codeEnd:
    'The code works once and expires in 5 minutes. Don’t share it; we’ll never ask you for it. If you didn’t request it, ignore this email.',
  startsAccount:
    'There’s already an account with this address, but the address was never confirmed, so signing in with this code creates a new, empty account. If the other account is yours, sign in with its password instead, then confirm the address.',
  codeText: '{code} is your Parley code. It’s valid for 5 minutes. Don’t share it.',
  changes: {
    password: {
      subject: 'Your Parley password was changed',
      sentence: 'Your Parley password was changed on {at}. Other devices were signed out.',
    },
    email: {
      subject: 'Your Parley email address was changed',
      sentence: 'Your Parley email address was changed on {at}. You can no longer sign in with this address.',
    },
    phone: {
      subject: 'Your Parley phone number was changed',
      sentence: 'The phone number you use to sign in to Parley was changed on {at}.',
    },
    email_added: {
      subject: 'An email address was added to your Parley account',
      sentence: 'This address was added to your Parley account on {at}. You can now sign in with a code sent to it.',
    },
    email_lost: {
      subject: 'Your Parley account no longer has an email address',
      sentence:
        'You hadn’t confirmed the email address on your Parley account. On {at}, someone else confirmed it as theirs.',
    },
    phone_added: {
      subject: 'A phone number was added to your Parley account',
      sentence: 'A phone number was added to your Parley account on {at}. You can now sign in with a code sent to it.',
    },
    phone_lost: {
      subject: 'Your Parley account no longer has a phone number',
      sentence:
        'You hadn’t confirmed the phone number on your Parley account. On {at}, someone else confirmed it as theirs.',
    },
    phone_removed: {
      subject: 'A phone number was removed from your Parley account',
      sentence: 'The phone number on your Parley account was removed on {at}. You can no longer sign in with it.',
    },
    provider_joined: {
      subject: 'A new way to sign in to Parley was added',
      sentence: '{name} was added to your Parley account on {at}. You can now sign in with it.',
    },
    provider_removed: {
      subject: 'A way to sign in to Parley was removed',
      sentence: '{name} was removed from your Parley account on {at}. You can no longer sign in with it.',
    },
    session_reuse: {
      subject: 'We signed a device out of your Parley account',
      sentence:
        'On {at}, someone used an outdated sign-in session for your Parley account. It may have been stolen, so we signed that device out.',
    },
  },
  others: 'You can also sign in with: {ways}. If any of these isn’t yours, remove it in your profile.',
  phoneWay: 'the phone number ending in {digits}',
  phoneText:
    'You can no longer sign in to Parley with this number because it was replaced. If this wasn’t you, sign in another way now, or contact your Parley administrator.',
  notYou:
    'If this wasn’t you, choose a new password now; this signs out all devices. Then open your profile, check the ways to sign in, and remove any that aren’t yours.',
  notYouButton: 'Choose new password',
  undo: 'If this wasn’t you, undo it within 7 days. This restores the previous ways to sign in, removes the password and signs out every device. Then choose a new password.',
  undoButton: 'Undo change',
  notLong:
    'This address was on the account for less than 7 days, so it can’t be used to undo the change. If the account is yours, use the link we sent to the previous address or number.',
  undoText: 'The ways to sign in to your Parley account changed. If this wasn’t you, undo it within 7 days: {url}',
  may: {
    OWNER: 'You’ll own the workspace and manage its content, plan and members.',
    ADMIN: 'You’ll manage members, accounts and settings, and write and publish posts.',
    EDITOR: 'You’ll write, schedule and publish posts.',
    VIEWER: 'You’ll be able to view posts, the inbox and analytics, but not make changes.',
    CLIENT: 'You’ll review, approve and comment on posts, and can read the inbox.',
  },
  invitedSubject: 'Join {workspace} on Parley',
  invited: '{by} invited you to the workspace “{workspace}” on Parley. Your role: {role}.',
  invitedButton: 'View invitation',
  invitedEnd:
    'The link works once, only for this address, and expires in 7 days. If you weren’t expecting it, ignore this email.',
  reviewSubject: 'Posts from {workspace} to review',
  reviewOne: '{by} from “{workspace}” sent you a post to review.',
  reviewSeveral: '{by} from “{workspace}” sent you several posts to review.',
  reviewMay: 'You can comment, approve or request changes. You don’t need an account.',
  reviewButton: 'Start review',
  reviewEnd:
    'The link works until {until}. Anyone with it can view and comment, so don’t forward it. If you weren’t expecting it, ignore this email.',
  reportSubject: '{name}: metrics for {workspace}',
  report: 'The {month} report “{name}” for “{workspace}” is ready.',
  reportFigure: '{figure}: {value}',
  reportSomeDays: '{figure}: {value} ({known} of {days} days)',
  reportPartly: '{figure}: {value} (not every account has data for the whole period)',
  reportFigures: {
    impressions: 'Views',
    engagement: 'Engagement',
    followers: 'Followers',
  },
  reportRates: { impressions: 'Engagement rate (by views)', followers: 'Engagement rate (by followers)' },
  reportKnown: 'Data is available for {share} of the days in this period, across all accounts and metrics.',
  reportRead: 'Last updated on {time}.',
  reportMayChange: 'Metrics for these days may still change: {days}.',
  reportPosts: 'Posts published: {count}',
  reportUnknown: 'unknown',
  reportButton: 'View report',
  reportEnd:
    'The link works until {until}. Anyone with it can view the report, so forward it only to people who are allowed to see it.',
  ownerSubject: 'Ownership of {workspace} was transferred',
  nowOwner: 'You’re now the owner of the workspace “{workspace}”, and {other} is now an admin.',
  nowAdmin: '{other} is now the owner of the workspace “{workspace}”, and you’re now an admin.',
  ownerNotYou: 'Was this a mistake? Only the new owner can transfer ownership back.',
  ownerButton: 'View members',
  deletedSubject: '{workspace} was deleted',
  deleted:
    'You deleted the workspace “{workspace}”, so it no longer publishes anything. You can restore it until {until}. After that, everything in it will be permanently deleted.',
  deletedButton: 'Restore workspace',
}
