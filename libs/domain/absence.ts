import { canonicalJson } from '#json/canonical-json.ts';
import type { NormalizedMessage, StandingAbsence } from '#records/types.ts';
import { statusReport } from './event-facts.ts';
import type { EventRegister } from './event-register.ts';

/** Returns the absence of a match that stands after a message, which `event` has already; null without one (law 2). */
export function absenceAfter(
  standing: StandingAbsence | null,
  { ut, absence }: Pick<NormalizedMessage, 'ut' | 'absence'>,
  event: EventRegister,
): StandingAbsence | null {
  const reported = absence && { ut, ...absence };
  const latest =
    reported !== null && (standing === null || isLater(reported, standing)) ? reported : standing;
  return latest !== null && latest.ut < (statusReport(event)?.ut ?? 0) ? null : latest;
}

/** Of one second, the stronger one is later; then an order; then the larger text of it. */
function isLater(a: StandingAbsence, b: StandingAbsence): boolean {
  if (a.ut !== b.ut) return a.ut > b.ut;
  if (a.confirmed !== b.confirmed) return a.confirmed;
  return canonicalJson(a.order) > canonicalJson(b.order);
}

/** Returns the absence in words, e.g. `deleted`; of an order with who gave it and why. Null without one. */
export function absenceText(absence: StandingAbsence | null): string | null {
  if (absence === null) return null;
  const { confirmed, order } = absence;
  if (order === null) return confirmed ? 'deleted' : 'missing';
  return `ended by ${order.user} on ${order.host}: ${order.reason}`;
}
