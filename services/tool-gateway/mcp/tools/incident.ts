/** Details of an incident in a timeline or a change. */

import { renderMinute } from '#domain/clock.ts';
import { SHOOT_OUT_PHASES } from '#soccer/soccer.ts';
import type { ShownIncident, ShownState } from '#views/store/board-view.ts';

export function isInShootOut({ event_status_id: phase }: ShownIncident): boolean {
  return phase !== null && SHOOT_OUT_PHASES.has(phase);
}

/** Returns the minute of an incident, such as 45+2; undefined if it is unknown, and in a shoot-out. */
export function minuteOf(
  incident: ShownIncident,
  { clock_rule }: Pick<ShownState, 'clock_rule'>,
): string | undefined {
  const { event_time, event_status_id } = incident;
  if (event_time === null || isInShootOut(incident)) return undefined;
  return renderMinute(event_time, event_status_id, clock_rule.lengths);
}

/** Returns why an incident does not count; undefined if it counts. */
export function whyVoid(
  { id, removed, confirmation }: ShownIncident,
  { void_goals }: ShownState,
): string | undefined {
  const why = void_goals[id];
  if (why !== undefined) return why;
  if (removed) return 'removed';
  return confirmation === 'cancelled' ? 'cancelled' : undefined;
}
