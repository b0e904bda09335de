/**
 * Every record of the contract as zod, in two modes from one definition: `ANSWERS` for answers of our servers,
 * `READINGS` for parsing a provider's. Both keep unknown fields.
 */
import type { z } from 'zod';
import { catalogueRecords } from './records/catalogues.ts';
import { eventChain, eventRecords, eventTree } from './records/events.ts';
import { feedRecords } from './records/feed.ts';
import type { Mode } from './records/mode.ts';
import { standingsRecords } from './records/standings.ts';
import { structureRecords } from './records/structure.ts';

function recordsOf(mode: Mode) {
  const events = eventRecords(mode);
  const detailed = events.event.extend({ events_incidents: events.incident.array() });
  return {
    ...catalogueRecords(mode),
    ...structureRecords(mode),
    ...events,
    ...standingsRecords(mode),
    ...feedRecords(mode),
    /** Competitions nesting whole events. */
    eventTree: eventTree(mode, events.event),
    /** Competitions nesting reduced events. */
    simpleTree: eventTree(mode, events.simpleEvent),
    /** One event with its incidents and its places. */
    eventChain: eventChain(mode, detailed),
  };
}

export type Records = ReturnType<typeof recordsOf>;

export const ANSWERS: Records = recordsOf('answer');
export const READINGS: Records = recordsOf('read');

export type SportRecord = z.infer<Records['sport']>;
export type CompetitionRecord = z.infer<Records['competition']>;
export type SeasonRecord = z.infer<Records['season']>;
export type StageRecord = z.infer<Records['stage']>;
export type GroupRecord = z.infer<Records['group']>;
export type RestEvent = z.infer<Records['event']>;
export type RestIncident = z.infer<Records['incident']>;
export type EventTree = z.infer<Records['eventTree']>;
