/** The types of soccer's incidents; `soccer.ts` names the sources. */
import rows from './incident-types.json' with { type: 'json' };

/** The side an incident counts for, relative to the participant that it names. */
type CountsFor = 'all' | 'own' | 'rival' | 'none';

/** A kind of incident, as in `/v2/incidents`. */
type IncidentType = {
  readonly id: number;
  readonly name: string;
  /** Whether it concerns a team or the whole event. */
  readonly type: 'team' | 'event';
  readonly for: CountsFor;
  /** Whether it interrupts play. */
  readonly gameBreak: boolean;
  readonly important: boolean;
  readonly importantForTrader: boolean;
};

/** The incident types of soccer by id. The specification names the types that break the game; the catalogue of 2019 adds Injury (415). */
export const INCIDENT_TYPES_OF_SOCCER: ReadonlyMap<number, IncidentType> = new Map(
  (rows as [number, string, IncidentType['type'], CountsFor, boolean, boolean, boolean][]).map(
    ([id, name, type, countsFor, gameBreak, important, importantForTrader]) => [
      id,
      { id, name, type, for: countsFor, gameBreak, important, importantForTrader },
    ],
  ),
);
