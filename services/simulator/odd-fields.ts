import type { ProviderMessage } from './records.ts';

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
export function oddFieldOf(message: ProviderMessage, n: number): ProviderMessage {
  const { event, incident } = message.data;
  const ofIncident = OF_INCIDENT[n % OF_INCIDENT.length];
  if (incident !== undefined && ofIncident !== undefined && n % 2 === 0)
    return { ...message, data: { event, incident: { ...incident, ...ofIncident(incident) } } };
  const ofEvent = OF_EVENT[n % OF_EVENT.length];
  return { ...message, data: { ...message.data, event: { ...event, ...ofEvent?.(event as Fields) } } };
}
