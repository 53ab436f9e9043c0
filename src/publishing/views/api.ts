import * as z from 'zod'
import { Empty, type Endpoint, Id, IdParams, ListQuery, pageOf, patchOf, Timestamp } from '../../core/http/endpoint.ts'
import { Platform } from '../../networks/api.ts'
import { Approval, Status } from '../posts/api.ts'

const tags = ['Views'] as const
const gate = { role: 'VIEWER' } as const

/** The maximum number of views that a workspace may share, and that each member may keep. */
export const MOST_VIEWS = 50

/** The filters of a view, named like the query parameters of the list and the calendar. */
const Filters = z
  .strictObject({
    status: z.array(Status).min(1).max(Status.options.length),
    approval: Approval.shape.state,
    platform: Platform,
    accountId: Id,
    mediaFileId: Id,
    label: z.array(Id).min(1).max(50),
    text: z.string().trim().min(1).max(200),
  })
  .partial()

/** Named filters of a screen. A view that is not shared is visible only to its owner. */
export const SavedView = z
  .strictObject({
    id: Id,
    name: z.string(),
    screen: z.enum(['posts', 'calendar']),
    filters: Filters,
    shared: z.boolean(),
    version: z.int(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'SavedView' })
export type SavedView = z.infer<typeof SavedView>

const fields = {
  name: z.string().trim().min(1).max(50),
  filters: Filters,
  shared: z.boolean().describe('Whether everyone in the workspace sees the view. Requires ADMIN'),
}

export const NewSavedView = z.strictObject({
  ...fields,
  screen: SavedView.shape.screen,
  shared: fields.shared.optional(),
})
export type NewSavedView = z.infer<typeof NewSavedView>
export const SavedViewPatch = patchOf(z.strictObject(fields).partial().shape, SavedView)
export type SavedViewPatch = z.infer<typeof SavedViewPatch>

export const listViews = {
  method: 'GET',
  url: '/views',
  config: { gate },
  schema: {
    operationId: 'listViews',
    summary: 'List your own views and the shared ones by name',
    tags,
    querystring: ListQuery,
    response: { 200: pageOf(SavedView) },
  },
} as const satisfies Endpoint

export const createView = {
  method: 'POST',
  url: '/views',
  config: { gate },
  schema: {
    operationId: 'createView',
    summary: 'Save the filters of a screen as a view (shared: ADMIN)',
    tags,
    body: NewSavedView,
    response: { 201: SavedView },
  },
} as const satisfies Endpoint

export const updateView = {
  method: 'PATCH',
  url: '/views/:id',
  config: { gate },
  schema: {
    operationId: 'updateView',
    summary: 'Update your view, or a shared one as ADMIN (supports If-Match)',
    tags,
    params: IdParams,
    body: SavedViewPatch,
    response: { 200: SavedView },
  },
} as const satisfies Endpoint

export const deleteView = {
  method: 'DELETE',
  url: '/views/:id',
  config: { gate },
  schema: {
    operationId: 'deleteView',
    summary: 'Delete your view, or a shared one as ADMIN',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint
