import type { KnownIncident } from '#domain/goals.ts';
import { concernsGoals, effectsOf, type IncidentEffect, type MatchSides } from '#domain/incident-effect.ts';
import type { MatchIncident } from '#topics/generated/types.ts';

const UNKNOWN_SIDES: MatchSides = { sportId: null, home: null, away: null };

/** Goals and cancellations of every match, out of its register, and what each incident is to the score. */
export class IncidentEffects {
  readonly #registers = new Map<number, Map<string, KnownIncident>>();
  readonly #effects = new Map<number, (one: KnownIncident) => IncidentEffect>();

  /** Applies a record of match-incidents; a later one of the same incident replaces it. */
  apply({ event_id, id, incident, removed }: MatchIncident): void {
    const one = { id, incident, removed };
    const register = this.#registers.get(event_id);
    if (!concernsGoals(one)) register?.delete(id);
    else if (register === undefined) this.#registers.set(event_id, new Map([[id, one]]));
    else register.set(id, one);
  }

  /** What an incident is to the score, as all applied records have it. Nothing may be applied afterwards. */
  of({ event_id, id, incident, removed }: MatchIncident, sides: MatchSides | undefined): IncidentEffect {
    let effects = this.#effects.get(event_id);
    if (effects === undefined) {
      const register = this.#registers.get(event_id)?.values() ?? [];
      effects = effectsOf([...register], sides ?? UNKNOWN_SIDES);
      this.#effects.set(event_id, effects);
    }
    return effects({ id, incident, removed });
  }
}
