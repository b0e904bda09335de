/** A provider message made again from its normalized form, so that whoever normalizes it gets the same. Pure. */
import { eventJson, eventRest, joinObjects } from '#contract/provider-message.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#contract/soccer.ts';
import { toWholeNumber } from '#contract/values.ts';
import type { NormalizedMessage } from '#topics/generated/types.ts';

/** A message of the feed, and what the feed is filtered by. */
export type FeedRow = {
  readonly json: string;
  readonly incident: boolean;
  readonly important: boolean;
  readonly forTrader: boolean;
  readonly competitionId: number | null;
};

/** Longest id that is a number again; a longer one, or one with leading zeros, stays text. */
const NUMBER = /^(?:0|[1-9][0-9]{0,14})$/;

/**
 * Renders a message of type `incident` or `event`; null for the other types, which the feed does not have. The texts
 * of the event's parts and of the incident are taken over as they are: only their `action` is put back.
 */
export function renderFeedMessage(message: NormalizedMessage): FeedRow | null {
  const { type, incident } = message;
  if (type !== 'incident' && type !== 'event') return null;
  const id = NUMBER.test(message.message_id) ? message.message_id : JSON.stringify(message.message_id);
  const fields = eventRest(message);
  const event = eventJson(message, fields);
  const head = `{"id":${id},"type":"${type}","source":null,"ut":${message.ut},"data":{`;
  const competitionId = toWholeNumber(fields.competition_id);
  if (incident === null)
    return {
      json: `${head}"event":${event}}}`,
      incident: false,
      important: false,
      forTrader: false,
      competitionId,
    };
  const { body, incident_id } = incident.incident;
  const told: Record<string, unknown> = JSON.parse(body);
  const known = INCIDENT_TYPES_OF_SOCCER.get(incident_id);
  const action = incident.deleted ? 'delete' : 'update';
  return {
    json: `${head}"incident":${joinObjects(body, `{"action":"${action}"}`)},"event":${event}}}`,
    incident: true,
    important: isYes(told.important, known?.important),
    forTrader: isYes(told.important_for_trader, known?.importantForTrader),
    competitionId,
  };
}

function isYes(told: unknown, known: boolean | null | undefined): boolean {
  return told === 'yes' || told === 'no' ? told === 'yes' : known === true;
}
