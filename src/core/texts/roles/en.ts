/** The names of the roles. */
export const en = { OWNER: 'Owner', ADMIN: 'Admin', EDITOR: 'Editor', VIEWER: 'Viewer', CLIENT: 'Client' }
