/** Faults of the finished messages of a match. Each has its own source of random numbers: its rate changes no other message. */

import type { Faults } from './faults.ts';
import { createRandom, type SeededRandom } from './random.ts';
import type { ProviderMessage } from './records.ts';

type MessageFault = 'same_second' | 'stamped_ahead' | 'odd_field';

const HOUR_SECONDS = 3_600;

/** Injects the faults of the settings into the messages of a match. None changes what the messages say in the end. */
export function disturbMessages(
  eventId: number,
  messages: readonly ProviderMessage[],
  { seed, faults, aheadAt }: { readonly seed: string; readonly faults: Faults; readonly aheadAt?: number },
) {
  const counts: Partial<Record<MessageFault, number>> = {};
  const result = [...messages];
  /** Injects a fault at so many random positions of those where it is possible. */
  const inject = (
    fault: MessageFault,
    isPossible: (message: ProviderMessage, at: number) => boolean,
    change: (message: ProviderMessage, at: number, random: SeededRandom) => void,
  ): void => {
    const random = createRandom(seed, eventId, fault);
    const left = result.flatMap((message, at) => (isPossible(message, at) ? [at] : []));
    for (let wanted = random.count(faults[fault]); wanted > 0 && left.length > 0; wanted--) {
      const [at = 0] = left.splice(random.int(0, left.length - 1), 1);
      change(result[at] as ProviderMessage, at, random);
      counts[fault] = (counts[fault] ?? 0) + 1;
    }
  };
  let status: unknown;
  const changesStatus = ({ type, ut, data: { event } }: ProviderMessage, at: number): boolean => {
    if (!('participants' in event)) return false;
    const changes = status !== undefined && event.status_id !== status;
    status = event.status_id;
    const next = result[at + 1];
    return changes && type === 'incident' && next?.type === 'event' && next.ut === ut;
  };
  inject('same_second', changesStatus, (incident, at, random) => {
    const former = result.slice(0, at).findLast(({ data }) => 'participants' in data.event);
    const event = result[at + 1];
    if (event === undefined || former === undefined) return;
    const before = { ...incident, data: { ...incident.data, event: former.data.event } };
    result.splice(at, 2, ...(random.chance(0.5) ? [before, event] : [event, before]));
  });
  const hasIncident = ({ data }: ProviderMessage): boolean => data.incident !== undefined;
  inject('stamped_ahead', hasIncident, (message, at) => {
    if (message.data.incident === undefined) return;
    const incident = { ...message.data.incident, ut: aheadAt ?? message.ut + HOUR_SECONDS };
    result[at] = { ...message, data: { ...message.data, incident } };
  });
  const hasFields = ({ data }: ProviderMessage): boolean => 'participants' in data.event;
  inject('odd_field', hasFields, (message, at) => {
    result[at] = oddFieldOf(message, eventId + (counts.odd_field ?? 0));
  });
  return { messages: result, counts };
}

type Fields = Readonly<Record<string, unknown>>;

/** Odd forms of an event's fields: each has one meaning, or is of no field that match state needs. */
const OF_EVENT: readonly ((event: Fields) => Fields)[] = [
  () => ({ neutral_venue: '' }),
  ({ status_id }) => ({ status_id: String(status_id) }),
  ({ clock_time, played_time }) => ({
    clock_time: clock_time === null ? '' : String(clock_time),
    played_time: played_time === null ? '' : String(played_time),
  }),
  ({ sport_id, season_id }) => ({ sport_id: String(sport_id), season_id: ` ${season_id} ` }),
  ({ bet_status }) => ({ bet_status: String(bet_status).toUpperCase(), latency: 3 }),
  () => ({ coverage_type: null, item_status: null, gender: null }),
];

/** The same of an incident's fields. */
const OF_INCIDENT: readonly ((incident: Fields) => Fields)[] = [
  () => ({ important: '', important_for_trader: null, attribute_ids: null, properties: {} }),
  ({ event_status_id, participant_id }) => ({
    event_status_id: String(event_status_id),
    participant_id: participant_id === null ? '' : String(participant_id),
  }),
  ({ confirmation, for: countsFor }) => ({
    confirmation: confirmation === null ? '' : String(confirmation).toUpperCase(),
    for: String(countsFor).toUpperCase(),
  }),
  ({ incident_id, ut }) => ({ incident_id: String(incident_id), ut: String(ut), incident_name: null }),
  ({ event_time }) => ({ event_time: String(event_time).replace(/^0(?=\d:)/, ''), parent_id: '' }),
];

/** Returns the message with an odd form of some of its fields; `n` selects which. */
function oddFieldOf(message: ProviderMessage, n: number): ProviderMessage {
  const { event, incident } = message.data;
  const ofIncident = OF_INCIDENT[n % OF_INCIDENT.length];
  if (incident !== undefined && ofIncident !== undefined && n % 2 === 0)
    return { ...message, data: { event, incident: { ...incident, ...ofIncident(incident) } } };
  const ofEvent = OF_EVENT[n % OF_EVENT.length];
  return { ...message, data: { ...message.data, event: { ...event, ...ofEvent?.(event) } } };
}
