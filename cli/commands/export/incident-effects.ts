import { concernsGoals, type KnownIncident } from '#domain/goal-facts.ts';
import { effectsOf, type IncidentEffect, type MatchSides } from '#domain/incident-effect.ts';
import type { MatchIncident } from '#records/types.ts';

const UNKNOWN_SIDES: MatchSides = { sportId: null, home: null, away: null };

/** Derives the effect of each incident on the score from the goals and cancellations of its match. */
export class IncidentEffects {
  readonly #registers = new Map<number, Map<string, KnownIncident>>();
  readonly #effects = new Map<number, (one: KnownIncident) => IncidentEffect>();

  /** Applies a record of match-incidents; a later one of the same incident replaces it. */
  apply({ event_id, id, incident, removed, missing }: MatchIncident): void {
    const one = { id, incident, removed, missing };
    const register = this.#registers.get(event_id);
    if (incident === null || !concernsGoals(incident)) register?.delete(id);
    else if (register === undefined) this.#registers.set(event_id, new Map([[id, one]]));
    else register.set(id, one);
  }

  /** Returns the effect of an incident, given all applied records. Nothing may be applied afterwards. */
  of(
    { event_id, id, incident, removed, missing }: MatchIncident,
    sides: MatchSides | undefined,
  ): IncidentEffect {
    let effects = this.#effects.get(event_id);
    if (effects === undefined) {
      const register = this.#registers.get(event_id)?.values() ?? [];
      effects = effectsOf([...register], sides ?? UNKNOWN_SIDES);
      this.#effects.set(event_id, effects);
    }
    return effects({ id, incident, removed, missing });
  }
}
