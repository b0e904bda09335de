import { STATUS } from '#soccer/soccer.ts';
import { isOver } from '#tradability/trading.ts';
import { readStatusType } from '../event-facts.ts';
import type { EventRegister } from '../event-register.ts';
import { int, text } from '../values.ts';

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
/** Fields that the facts are read from. */
const RELEVANT = /"(?:clock_status|status_id|status_type)":|"item_status":"deleted"|"action":"delete"/;
/** A field that may restore a match that is over. */
const RESTORES = /"item_status":/;

/** Whether the facts may change by a part of a message's event. `over`: whether the match is over so far. */
export function concernsHealth(part: string, over: boolean): boolean {
  return RELEVANT.test(part) || (over && RESTORES.test(part));
}

/** Reads the facts of a match. A clock whose status was never reported counts as running during play, to notice silence. */
export function matchFacts(register: EventRegister): LivenessFacts {
  const type = readStatusType(register);
  const over = isOver(type);
  const live = !over && type === 'live';
  const clock = text(register.value('clock_status'));
  const runs = live && (clock === null ? !BREAKS.has(int(register.value('status_id'))) : clock === 'running');
  return { live, over, runs };
}
