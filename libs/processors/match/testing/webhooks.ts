/** What the tests of composed webhook messages share. */
import { incident, incidentMessage, START, snapshotMessage } from '#domain/testing/messages.ts';
import { codecOf } from '#topics/testing/codecs.ts';

/** Codecs without a registry. */
export const codecs = {
  'match-transitions': codecOf('match-transitions'),
  'normalized-messages': codecOf('normalized-messages'),
  'webhook-messages': codecOf('webhook-messages'),
  'webhook-times': codecOf('webhook-times'),
};

/** A goal, delivered twice, that a list omits and a later one has again, so that its records are sent with later times than the provider's. */
export const HISTORY = [
  incidentMessage(incident('5-1', 413)),
  incidentMessage(incident('5-1', 413)),
  incidentMessage(incident('5-2', 413, { ut: START + 1 })),
  snapshotMessage(START + 80, [incident('5-2', 413, { ut: START + 1 })]),
  snapshotMessage(START + 90, [incident('5-1', 413), incident('5-2', 413, { ut: START + 1 })]),
  incidentMessage(incident('5-1', 413, { ut: START + 20, confirmation: 'cancelled' })),
  incidentMessage(incident('5-1', 413, { ut: START + 99 })),
];
