/** Which topics a rebuild of each processor derives again. */
import { PROCESSOR_NAMES, type ProcessorName } from '#topics/processors.ts';
import type { TopicName } from '#topics/topics.ts';

/**
 * The topics to delete, so that the output of a processor depends on its input alone; and its readers, which are rebuilt too.
 * `standings` stays: the versions of tables continue.
 */
export const REBUILDS: Readonly<
  Record<ProcessorName, { deleted: readonly TopicName[]; readers: readonly ProcessorName[] }>
> = {
  'match-processor': {
    // webhook-messages stays: its offsets are the progress of subscriptions.
    deleted: ['match-incidents', 'match-state', 'match-transitions', 'match-results', 'webhook-times'],
    readers: ['standings-processor', 'alert-processor'],
  },
  'standings-processor': { deleted: ['standings-results'], readers: [] },
  'alert-processor': { deleted: [], readers: [] },
};

/** Returns the processor whose rebuild derives a topic again; null when none does, as its records come from outside. */
export function deriverOf(topic: TopicName): ProcessorName | null {
  return PROCESSOR_NAMES.find((processor) => REBUILDS[processor].deleted.includes(topic)) ?? null;
}
