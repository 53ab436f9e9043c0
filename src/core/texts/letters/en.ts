/** Letters about the ways into an account, and about belonging to a workspace. */
export const en = {
  hello: 'Hello {name},',
  helloNobody: 'Hello,',
  comma: ', ',
  resetSubject: 'Choose a new password for Parley',
  reset: 'Somebody, most likely you, asked for a new password for your Parley account.',
  resetButton: 'Choose a new password',
  resetEnd: 'The link works once, for 30 minutes. If you did not ask for it, do nothing: your password stays as it is.',
  codeSubject: '{code} is your Parley code',
  code: {
    login: 'With this code you sign in to Parley:',
    verify: 'With this code you confirm your e-mail address for Parley:',
  },
  codeEnd:
    'It works once, for 5 minutes. Give it to nobody: we never ask for it. If you did not ask for it, do nothing.',
  startsAccount:
    'An account with this address exists, but its owner never confirmed the address. This message opens a new, empty account. If the other account is yours, sign in with its password instead and confirm the address.',
  codeText: '{code} is your Parley code. It works for 5 minutes. Give it to nobody.',
  changes: {
    password: {
      subject: 'Your Parley password was changed',
      sentence: 'The password of your Parley account was changed on {at}. Other devices were signed out.',
    },
    email: {
      subject: 'The e-mail address of your Parley account was changed',
      sentence: 'Your Parley account got another e-mail address on {at}. This address no longer signs in to it.',
    },
    phone: {
      subject: 'The phone number of your Parley account was changed',
      sentence: 'The phone number that signs in to your Parley account was changed on {at}.',
    },
    email_added: {
      subject: 'An e-mail address was added to your Parley account',
      sentence: 'Since {at} this address belongs to your Parley account and signs in to it by a code.',
    },
    email_lost: {
      subject: 'Your Parley account has no e-mail address any more',
      sentence: 'On {at} somebody else confirmed the address of your Parley account, which you had not confirmed.',
    },
    phone_added: {
      subject: 'A phone number was added to your Parley account',
      sentence: 'Since {at} a phone number signs in to your Parley account by a code.',
    },
    phone_lost: {
      subject: 'Your Parley account has no phone number any more',
      sentence: 'On {at} somebody else confirmed the number of your Parley account, which you had not confirmed.',
    },
    phone_removed: {
      subject: 'The phone number of your Parley account was removed',
      sentence: 'Since {at} no phone number signs in to your Parley account.',
    },
    provider_joined: {
      subject: 'A new way to sign in to Parley',
      sentence: 'Since {at}, {name} signs in to your Parley account.',
    },
    provider_removed: {
      subject: 'A way to sign in to Parley was removed',
      sentence: 'Since {at}, {name} no longer signs in to your Parley account.',
    },
    session_reuse: {
      subject: 'We ended a session of your Parley account',
      sentence:
        'On {at} somebody used an old copy of a sign-in to your Parley account. It may have been stolen, so that device was signed out.',
    },
  },
  others:
    'Besides the password these still open your account: {ways}. If one of them is not yours, take it away in your profile.',
  phoneWay: 'the phone number that ends in {digits}',
  phoneText:
    'This number no longer signs in to your Parley account: it was replaced. If this was not you, sign in another way now, or ask whoever runs the service.',
  notYou:
    'If this was not you, choose a new password now: that ends every session. Then look at the ways to sign in in your profile and take away what is not yours: a new password alone does not.',
  notYouButton: 'Choose a new password',
  undo: 'If this was not you, undo it within 7 days. That restores the ways into your account as they were before, removes the password and signs everybody out. Then choose a new password.',
  undoButton: 'Undo this change',
  notLong:
    'This address had belonged to the account for less than 7 days, so it can’t undo the change. If the account is yours, use the link in the message that we sent to the address or number before it.',
  undoText:
    'The ways to sign in to your Parley account have changed. If this was not you, undo it within 7 days: {url}',
  may: {
    OWNER: 'You will own the workspace: everything in it, its plan, and who belongs to it.',
    ADMIN: 'You will manage people, accounts and settings, and write and publish.',
    EDITOR: 'You will write, schedule and publish posts.',
    VIEWER: 'You will see everything and change nothing.',
    CLIENT: 'You will review, approve and comment on posts.',
  },
  invitedSubject: 'Join {workspace} on Parley',
  invited: '{by} invites you to the workspace “{workspace}” on Parley. Your role: {role}.',
  invitedButton: 'See the invitation',
  invitedEnd:
    'The link works once, for 7 days, and is for this address alone. If you did not expect it, do nothing: nobody joins without it.',
  ownerSubject: 'The ownership of {workspace} was transferred',
  nowOwner: 'You are now the owner of the workspace “{workspace}”. {other} is an admin there.',
  nowAdmin: '{other} is now the owner of the workspace “{workspace}”. You are an admin there.',
  ownerNotYou: 'If you did not want this, talk to each other: only the owner can give the ownership back.',
  ownerButton: 'See the members',
  deletedSubject: '{workspace} was deleted',
  deleted:
    'You deleted the workspace “{workspace}”. It publishes and answers nothing any more. Until {until} you can restore it; then everything in it is erased.',
  deletedButton: 'Restore it',
}
