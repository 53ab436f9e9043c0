export const en = { own: 'My workspace', of: '{name}’s workspace' }
