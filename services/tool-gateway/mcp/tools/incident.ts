/** What an incident of a timeline or of a change is shown with. */
import { SHOOT_OUT_PHASES } from '#contract/soccer.ts';
import { renderMinute } from '#domain/clock.ts';
import type { ShownIncident, ShownState } from '#views/store/board-view.ts';

export function isInShootOut({ event_status_id: phase }: ShownIncident): boolean {
  return phase !== null && SHOOT_OUT_PHASES.has(phase);
}

/** Undefined where it is not known, and in a shoot-out. */
export function minuteOf(incident: ShownIncident): string | undefined {
  const { event_time, event_status_id } = incident;
  if (event_time === null || isInShootOut(incident)) return undefined;
  return renderMinute(event_time, event_status_id);
}

/** Why an incident does not count; undefined where it stands. */
export function whyVoid(
  { id, removed, confirmation }: ShownIncident,
  { void_goals }: ShownState,
): string | undefined {
  const why = void_goals[id];
  if (why !== undefined) return why;
  if (removed) return 'removed';
  return confirmation === 'cancelled' ? 'cancelled' : undefined;
}
