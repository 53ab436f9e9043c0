/** What people call the roles in a workspace. */
export const en = { OWNER: 'Owner', ADMIN: 'Admin', EDITOR: 'Editor', VIEWER: 'Viewer', CLIENT: 'Client' }
