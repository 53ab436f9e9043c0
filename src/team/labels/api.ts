import * as z from 'zod'
import { Empty, type Endpoint, Id, IdParams, ListQuery, pageOf, patchOf, Timestamp } from '../../core/http/endpoint.ts'

const tags = ['Labels'] as const
const read = { role: 'VIEWER' } as const
const write = { role: 'EDITOR' } as const

/** The maximum number of labels in a workspace. */
export const MOST_LABELS = 500

export const LabelColor = z.enum(['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'])

/** A label as shown on a post. */
export const LabelMark = z.strictObject({ id: Id, name: z.string(), color: LabelColor }).meta({ id: 'LabelMark' })
export type LabelMark = z.infer<typeof LabelMark>

/** No two labels of a workspace have the same name, regardless of case. */
export const Label = LabelMark.extend({
  version: z.int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}).meta({ id: 'Label' })
export type Label = z.infer<typeof Label>

const Name = z.string().trim().min(1).max(50)

export const NewLabel = z.strictObject({ name: Name, color: LabelColor })
export type NewLabel = z.infer<typeof NewLabel>
export const LabelPatch = patchOf(NewLabel.partial().shape, Label)
export type LabelPatch = z.infer<typeof LabelPatch>

export const listLabels = {
  method: 'GET',
  url: '/labels',
  config: { gate: read },
  schema: {
    operationId: 'listLabels',
    summary: 'List labels by name',
    tags,
    querystring: ListQuery,
    response: { 200: pageOf(Label) },
  },
} as const satisfies Endpoint

export const createLabel = {
  method: 'POST',
  url: '/labels',
  config: { gate: write },
  schema: { operationId: 'createLabel', summary: 'Create a label', tags, body: NewLabel, response: { 201: Label } },
} as const satisfies Endpoint

export const updateLabel = {
  method: 'PATCH',
  url: '/labels/:id',
  config: { gate: write },
  schema: {
    operationId: 'updateLabel',
    summary: 'Update a label (supports If-Match)',
    description: 'The change applies wherever the label is used.',
    tags,
    params: IdParams,
    body: LabelPatch,
    response: { 200: Label },
  },
} as const satisfies Endpoint

export const deleteLabel = {
  method: 'DELETE',
  url: '/labels/:id',
  config: { gate: write },
  schema: {
    operationId: 'deleteLabel',
    summary: 'Delete a label and remove it everywhere',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint
