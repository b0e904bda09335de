/** What the messages of an event reported last, read from match state. */
import type { EventField, MatchState } from '#records/types.ts';
import { type ClockRule, clockRule } from './clock-rule.ts';
import { EventRegister } from './event-register.ts';

/** Returns the event register of a match state. */
export function reportedEvent({ reports }: Pick<MatchState, 'reports'>): EventRegister {
  return EventRegister.restore(reports);
}

/** Whether a field was reported before any of these; false if it never was. */
export function isOlder(
  event: EventRegister,
  field: EventField,
  ...sources: readonly (EventField | 'participants')[]
): boolean {
  const ut = event.reportedAt(field) ?? Number.POSITIVE_INFINITY;
  return sources.some((source) => (event.reportedAt(source) ?? ut) > ut);
}

/** Returns the match time that was reported last; null where the clock or the status was reported later. */
export function playedTimeOf(event: EventRegister): ClockRule['played'] {
  const time = event.value('played_time') ?? null;
  const ut = event.reportedAt('played_time') ?? 0;
  return time === null || isOlder(event, 'played_time', 'clock_time', 'status_id') ? null : { time, ut };
}

/** Returns the name of the status as reported; null where none was reported, or the status was reported later. */
export function statusNameOf(event: EventRegister): string | null {
  return isOlder(event, 'status_name', 'status_id') ? null : (event.value('status_name') ?? null);
}

/** Returns the clock rule of a match state. `event`: its register, where it was restored already. */
export function clockRuleOf(
  state: Pick<MatchState, 'sport_id' | 'reports'>,
  event: EventRegister = reportedEvent(state),
): ClockRule {
  return clockRule(state.sport_id, {
    details: event.value('details') ?? [],
    participants: event.sides(),
    played: playedTimeOf(event),
  });
}
