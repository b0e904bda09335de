import type { Alert } from '#records/types.ts';
import { alertText } from '#story/alerts.ts';
import { escapeLine } from '../../values.ts';

/** Returns an alert as a line for people: time of receipt (UTC), its text, its ids. */
export function alertLine(alert: Alert): string {
  const { event_id, incident_id, rule, received_at } = alert;
  const parts = [
    new Date(received_at).toISOString().slice(11, 19),
    alertText(alert),
    `match ${event_id}`,
    incident_id === null ? null : `incident ${incident_id}`,
    `rule ${rule}`,
  ];
  return escapeLine(parts.filter((part) => part !== null).join('  '));
}
