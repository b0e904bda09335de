import type { Event } from '#records/types.ts';
import { STATUS } from '#soccer/soccer.ts';
import { isOver } from '#trading/trading.ts';
import { NO_EVENT } from '../event.ts';
import { readStatusType } from '../event-facts.ts';
import type { EventRegister } from '../event-register.ts';

/** The facts of a match that feed health reads. */
export type LivenessFacts = {
  /** Whether messages are expected of it. */
  readonly live: boolean;
  /** Whether it is over or deleted: no more messages are expected. */
  readonly over: boolean;
  /** Whether the match clock runs: silence counts. */
  readonly runs: boolean;
};

/** The facts of a match of which nothing is known. */
export const NO_FACTS: LivenessFacts = { live: false, over: false, runs: false };

/** Live statuses of soccer without play. */
const BREAKS: ReadonlySet<number | null> = new Set([
  STATUS.halftime,
  STATUS.extraTimeHalftime,
  STATUS.waitingForExtraTime,
  STATUS.waitingForPenalty,
]);

/** Returns what a message's event says of the facts; null if nothing. `over`: only then may an item status restore the match. */
export function healthOf(event: Event | null, over: boolean): Event | null {
  if (event === null) return null;
  const { clock_status, status_id, status_type } = event;
  const action = event.action === 'delete' ? 'delete' : null;
  const item_status = over || event.item_status === 'deleted' ? event.item_status : null;
  const said = { clock_status, status_id, status_type, action, item_status };
  const nulls = event.nulls.filter((name) => name === 'clock_status');
  if (nulls.length === 0 && Object.values(said).every((one) => one === null)) return null;
  return { ...NO_EVENT, ...said, nulls };
}

/** Reads the facts of a match. A clock whose status was never reported counts as running during play, to notice silence. */
export function matchFacts(register: EventRegister): LivenessFacts {
  const type = readStatusType(register);
  const over = isOver(type);
  const live = !over && type === 'live';
  const clock = register.value('clock_status') ?? null;
  const runs =
    live && (clock === null ? !BREAKS.has(register.value('status_id') ?? null) : clock === 'running');
  return { live, over, runs };
}
