import { canonicalJson } from '#json/canonical-json.ts';
import type { MatchState, NormalizedMessage, StandingAbsence } from '#records/types.ts';
import { statusReport } from './event-facts.ts';
import type { EventRegister } from './event-register.ts';

/** The latest absence of an event, while it stands. */
export class AbsenceRegister {
  #standing: StandingAbsence | null = null;

  static restore({ absence }: Pick<MatchState, 'absence'>): AbsenceRegister {
    const register = new AbsenceRegister();
    register.#standing = absence;
    return register;
  }

  get standing(): StandingAbsence | null {
    return this.#standing;
  }

  /** Applies a message that `event` has already. Returns whether another absence stands, or none does any more. */
  apply({ ut, absence }: Pick<NormalizedMessage, 'ut' | 'absence'>, event: EventRegister): boolean {
    const before = this.#standing;
    const reported = absence === null ? null : { ut, ...absence };
    if (reported !== null && (before === null || isLater(reported, before))) this.#standing = reported;
    const statusAt = statusReport(event)?.ut ?? 0;
    if (this.#standing !== null && this.#standing.ut < statusAt) this.#standing = null;
    return this.#standing !== before;
  }
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
