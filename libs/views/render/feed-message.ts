/** Restores a provider message from its normalized form; normalizing it again gives the same form. Pure. */
import { hash } from 'node:crypto';
import { eventJson, eventRest, joinObjects, NO_SOURCE } from '#contract/provider-message.ts';
import { toWholeNumber } from '#json/values.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import type { FeedRow } from '../store/feed.ts';

/** Ids that convert to a number and back unchanged. */
const NUMBER = /^(?:0|[1-9][0-9]{0,14})$/;
/** Lowest number that stands for an id that is no number; provider ids are far below. */
const FIRST_MADE_ID = 2 ** 52;

/**
 * Renders a message of type `incident` or `event`, or that deletes its event; returns null for others, which the feed does not
 * have, and for an unreadable message. Copies the texts of event and incident and restores their `action`.
 */
export function renderFeedMessage(message: NormalizedMessage): FeedRow | null {
  const { incident, unreadable, absence } = message;
  const type = absence?.confirmed === true ? 'event' : message.type;
  if ((type !== 'incident' && type !== 'event') || unreadable !== null) return null;
  const fields = eventRest(message);
  const event = eventJson(message, fields);
  const uuid = message.uuid === null ? '' : `"uuid":${JSON.stringify(message.uuid)},`;
  const source = message.source ?? NO_SOURCE;
  const head = `{"id":${numberOf(message.message_id)},${uuid}"type":"${type}","source":${source},"ut":${message.ut},"data":{`;
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
  const reported: Record<string, unknown> = JSON.parse(body);
  const known = INCIDENT_TYPES_OF_SOCCER.get(incident_id);
  const action = incident.deleted ? 'delete' : 'update';
  return {
    json: `${head}"incident":${joinObjects(body, `{"action":"${action}"}`)},"event":${event}}}`,
    incident: true,
    important: isYes(reported.important, known?.important),
    forTrader: isYes(reported.important_for_trader, known?.importantForTrader),
    competitionId,
  };
}

/** Returns the id of a message as a number; one that is no number is hashed, so that every replica renders the same. */
function numberOf(messageId: string): string {
  if (NUMBER.test(messageId)) return messageId;
  return String(FIRST_MADE_ID + Number.parseInt(hash('sha256', messageId, 'hex').slice(0, 12), 16));
}

function isYes(reported: unknown, known: boolean | null | undefined): boolean {
  return reported === 'yes' || reported === 'no' ? reported === 'yes' : known === true;
}
