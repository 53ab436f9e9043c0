import { createFileRoute } from '@tanstack/react-router'
import { QueuesScreen } from '../../features/admin/queues.tsx'

export const Route = createFileRoute('/_app/admin/queues')({ component: QueuesScreen })
