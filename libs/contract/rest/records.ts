/** The zod schemas of every record of the contract, as our servers answer it. All keep unknown fields. */
import type { z } from 'zod';
import { catalogueRecords } from './records/catalogues.ts';
import { eventRecords } from './records/events.ts';
import { feedMessage } from './records/feed.ts';
import { standingsRecords } from './records/standings.ts';
import { structureRecords } from './records/structure.ts';

export const ANSWERS = {
  ...catalogueRecords,
  ...structureRecords,
  ...eventRecords,
  ...standingsRecords,
  feedMessage,
};

type Records = typeof ANSWERS;
export type SportRecord = z.infer<Records['sport']>;
export type CompetitionRecord = z.infer<Records['competition']>;
export type SeasonRecord = z.infer<Records['season']>;
export type StageRecord = z.infer<Records['stage']>;
export type GroupRecord = z.infer<Records['group']>;
export type RestEvent = z.infer<Records['event']>;
export type RestIncident = z.infer<Records['incident']>;
export type EventTree = z.infer<Records['eventTree']>;
