import {
  CircleHelp,
  Crown,
  Gauge,
  KeyRound,
  type LucideIcon,
  MailOpen,
  TriangleAlert,
  Unplug,
  UserCheck,
  UserCog,
  UserMinus,
} from 'lucide-react'

export const icons: Record<string, LucideIcon> = {
  invitation_received: MailOpen,
  invitation_accepted: UserCheck,
  ownership_transferred: Crown,
  role_changed: UserCog,
  member_removed: UserMinus,
  post_at_risk: TriangleAlert,
  post_failed: TriangleAlert,
  outcome_unknown: CircleHelp,
  account_reconnect: Unplug,
  quota_near: Gauge,
  quota_reached: Gauge,
  security: KeyRound,
}
