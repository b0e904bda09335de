import type { Incident, NormalizedMessage } from '#records/types.ts';
import { matchResult } from '../match.ts';
import type { TableResult } from '../match-result.ts';
import { eventFields, eventMessage, incident, incidentMessage, participants, START } from './messages.ts';
import { played } from './spec.ts';

export function resultOf(...messages: NormalizedMessage[]): TableResult {
  const result = matchResult(played(messages));
  if (result === null) throw new Error('no result');
  return result;
}

export const event = (fields: Record<string, unknown> = {}, at = 0) =>
  eventMessage(START + at, eventFields(fields));
export const kickOff = incidentMessage(incident('5-1', 429));
export const player = { subparticipant_id: 9, subparticipant_name: 'Nine' };

/** An incident that names people. */
export function by(
  id: string,
  type: number,
  people: Partial<Incident>,
  options: Partial<Incident> = {},
): NormalizedMessage {
  return incidentMessage(incident(id, type, { ...options, ...people }));
}

export const withResults = (home: Record<number, unknown>, away: Record<number, unknown>) =>
  participants().map((one, at) => ({
    ...(one as object),
    results: Object.entries(at === 0 ? home : away).map(([id, value]) => ({ id: Number(id), value })),
  }));
