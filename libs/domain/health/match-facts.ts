import { isOver } from '#tradability/trading.ts';
import { int, readStatusType, text } from '../event-facts.ts';
import type { EventRegister } from '../event-register.ts';

/** What health reads of a match. */
export type LivenessFacts = {
  /** Messages are expected of it. */
  readonly live: boolean;
  /** Over for good, or deleted: nothing more is expected. */
  readonly over: boolean;
  /** The match clock runs: silence counts. */
  readonly runs: boolean;
};

/** Nothing is known of the match. */
export const NO_FACTS: LivenessFacts = { live: false, over: false, runs: false };

/** Statuses of soccer that are live without play: half-time, the waits and the break of extra time, the wait for penalties. */
const BREAKS: ReadonlySet<number> = new Set([9, 37, 48, 142]);
/** The parts of an event that these facts are in; of one that is over also what may restore it. */
const RELEVANT = /"(?:clock_status|status_id|status_type)":|"item_status":"deleted"|"action":"delete"/;
const RESTORES = /"item_status":/;

/** Whether a part of a message's event has something that these facts are read from, `over` or not by what was read before. */
export function tellsHealth(part: string, over: boolean): boolean {
  return RELEVANT.test(part) || (over && RESTORES.test(part));
}

/** The facts of a match. A clock whose status was never reported is taken to run during play: silence is then noticed. */
export function matchFacts(register: EventRegister): LivenessFacts {
  const statusId = int(register.value('status_id'));
  const type = readStatusType(register);
  const over = isOver(type);
  const live = !over && type === 'live';
  const clock = text(register.value('clock_status'));
  const runs = live && (clock === null ? !BREAKS.has(statusId ?? 0) : clock === 'running');
  return { live, over, runs };
}
