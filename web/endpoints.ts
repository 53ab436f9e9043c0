// Every slice of the contract that the web app may call. Read at run time only while building (see vite.config.ts).
export * as accounts from '../src/accounts/api.ts'
export * as service from '../src/http/api.ts'
export * as identity from '../src/identity/api.ts'
export * as media from '../src/media/api.ts'
export * as plans from '../src/plans/api.ts'
export * as posts from '../src/posts/api.ts'
export * as publishing from '../src/publishing/api.ts'
export * as workspaces from '../src/workspaces/api.ts'
