/** Letters about sign-in methods and about membership in workspaces. */
export const en = {
  hello: 'Hello {name},',
  helloNobody: 'Hello,',
  comma: ', ',
  resetSubject: 'Choose a new password for Parley',
  reset: 'Somebody, most likely you, requested a new password for your Parley account.',
  resetButton: 'Choose a new password',
  resetEnd: 'The link works once, for 30 minutes. If you did not request it, do nothing: your password stays as it is.',
  codeSubject: '{code} is your Parley code',
  code: {
    login: 'Use this code to sign in to Parley:',
    verify: 'Use this code to confirm your e-mail address for Parley:',
  },
  codeEnd: 'It works once, for 5 minutes. Don’t share it: we never ask for it. If you did not request it, do nothing.',
  startsAccount:
    'An account with this address exists, but its owner never confirmed the address. This message opens a new, empty account. If the other account is yours, sign in with its password instead and confirm the address.',
  codeText: '{code} is your Parley code. It works for 5 minutes. Don’t share it.',
  changes: {
    password: {
      subject: 'Your Parley password was changed',
      sentence: 'The password of your Parley account was changed on {at}. Other devices were signed out.',
    },
    email: {
      subject: 'The e-mail address of your Parley account was changed',
      sentence: 'The e-mail address of your Parley account was changed on {at}. This address no longer signs in to it.',
    },
    phone: {
      subject: 'The phone number of your Parley account was changed',
      sentence: 'The phone number that signs in to your Parley account was changed on {at}.',
    },
    email_added: {
      subject: 'An e-mail address was added to your Parley account',
      sentence: 'Since {at} this address belongs to your Parley account, and you can sign in with a code sent to it.',
    },
    email_lost: {
      subject: 'Your Parley account has no e-mail address any more',
      sentence: 'On {at} somebody else confirmed the address of your Parley account, which you had not confirmed.',
    },
    phone_added: {
      subject: 'A phone number was added to your Parley account',
      sentence: 'Since {at} you can sign in to your Parley account with a code sent to a phone number.',
    },
    phone_lost: {
      subject: 'Your Parley account has no phone number any more',
      sentence: 'On {at} somebody else confirmed the number of your Parley account, which you had not confirmed.',
    },
    phone_removed: {
      subject: 'The phone number of your Parley account was removed',
      sentence: 'Since {at} you can no longer sign in to your Parley account with a phone number.',
    },
    provider_joined: {
      subject: 'A new way to sign in to Parley',
      sentence: 'Since {at} you can sign in to your Parley account with {name}.',
    },
    provider_removed: {
      subject: 'A way to sign in to Parley was removed',
      sentence: 'Since {at} you can no longer sign in to your Parley account with {name}.',
    },
    session_reuse: {
      subject: 'We ended a session of your Parley account',
      sentence:
        'On {at} somebody used an old copy of a sign-in to your Parley account. It may have been stolen, so that device was signed out.',
    },
  },
  others:
    'Besides the password, these still open your account: {ways}. If one of them is not yours, remove it in your profile.',
  phoneWay: 'the phone number that ends in {digits}',
  phoneText:
    'This number no longer signs in to your Parley account: it was replaced. If this was not you, sign in another way now, or ask the operator of the service.',
  notYou:
    'If this was not you, choose a new password now: that ends every session. Then check the sign-in methods in your profile and remove those that are not yours: a new password alone does not.',
  notYouButton: 'Choose a new password',
  undo: 'If this was not you, undo it within 7 days. That restores the earlier ways to sign in, removes the password and signs everybody out. Then choose a new password.',
  undoButton: 'Undo this change',
  notLong:
    'This address had belonged to the account for less than 7 days, so it can’t undo the change. If the account is yours, use the link in the message that we sent to the address or number before it.',
  undoText:
    'The ways to sign in to your Parley account have changed. If this was not you, undo it within 7 days: {url}',
  may: {
    OWNER: 'You will own the workspace: its content, its plan and its members.',
    ADMIN: 'You will manage people, accounts and settings, and write and publish.',
    EDITOR: 'You will write, schedule and publish posts.',
    VIEWER: 'You will see everything and change nothing.',
    CLIENT: 'You will review, approve and comment on posts.',
  },
  invitedSubject: 'Join {workspace} on Parley',
  invited: '{by} invites you to the workspace “{workspace}” on Parley. Your role: {role}.',
  invitedButton: 'See the invitation',
  invitedEnd:
    'The link works once, for 7 days, and only for this address. If you did not expect it, do nothing: nobody joins without it.',
  ownerSubject: 'The ownership of {workspace} was transferred',
  nowOwner: 'You are now the owner of the workspace “{workspace}”. {other} is an admin there.',
  nowAdmin: '{other} is now the owner of the workspace “{workspace}”. You are an admin there.',
  ownerNotYou: 'If you did not want this, talk to each other: only the owner can transfer the ownership back.',
  ownerButton: 'See the members',
  deletedSubject: '{workspace} was deleted',
  deleted:
    'You deleted the workspace “{workspace}”. It no longer publishes or answers anything. You can restore it until {until}; then everything in it is erased.',
  deletedButton: 'Restore it',
}
