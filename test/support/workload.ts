import { incidentMessage, participantRecords } from '#ingestion/testing/messages.ts';
import { normalized } from '#ingestion/testing/normalized.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { seeded } from './seed.ts';

/** Kick-off of a workload's matches, Unix seconds. */
const KICK_OFF = 1_790_000_000;
/** The team at home, of `participantRecords`. */
export const HOME = 101;
const SIDES = [HOME, 102];

type Reported = { readonly id: string; readonly type: number; readonly side: number; readonly at: number };

/**
 * Returns messages of several parallel matches, as in a provider's log: goals that await confirmation, are confirmed,
 * or are cancelled in each way, with repeated and late messages, interleaved between the events. The same seed gives
 * the same messages.
 */
export function workload(options: { events: number; perEvent: number; seed: number }): NormalizedMessage[] {
  const random = seeded(options.seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const messages: NormalizedMessage[] = [];
  const published: Reported[][] = Array.from({ length: options.events }, () => []);
  for (let at = 0; at < options.perEvent; at += 1) {
    for (let event = 0; event < options.events; event += 1) {
      const earlier = published[event] ?? [];
      const again = earlier.length > 3 && random() < 0.3 ? pick(earlier) : null;
      const incident = again ?? {
        id: `5-${100_000 + at}`,
        type: at === 0 ? 429 : pick([400, 401, 402, 408, 413, 413, 421, 423, 424, 419]),
        side: pick(SIDES),
        at,
      };
      if (again === null) earlier.push(incident);
      const action = again === null ? 'insert' : random() < 0.15 ? 'delete' : 'update';
      const confirmation = pick(['confirmed', 'confirmed', 'tbd', 'cancelled', null]);
      messages.push(message({ id: messages.length + 1, event, at, incident, action, confirmation }));
      if (random() < 0.1) messages.push(pick(messages));
    }
  }
  return messages;
}

function message(options: {
  id: number;
  event: number;
  at: number;
  incident: Reported;
  action: string;
  confirmation: string | null;
}): NormalizedMessage {
  const { id, event, at, incident, action, confirmation } = options;
  const ut = KICK_OFF + at * 10;
  const reported = {
    id: incident.id,
    action,
    incident_id: incident.type,
    participant_id: incident.side,
    confirmation,
    event_time: `${String(Math.floor(incident.at / 6)).padStart(2, '0')}:${String((incident.at % 6) * 10).padStart(2, '0')}`,
    ut,
  };
  const of = {
    id: 9_000_000 + event,
    name: 'Home - Away',
    competition_id: 1,
    season_id: 2,
    stage_id: 3,
    bet_status: at % 20 === 19 ? 'suspended' : 'active',
    clock_time: at * 10,
    // The provider reports no result.
    participants: participantRecords(0, 0).map((side) => ({ ...side, results: [{ id: 2, value: null }] })),
  };
  return normalized(incidentMessage({ id, ut }, reported, of), ut * 1_000);
}
