import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { toWholeNumber } from '#json/values.ts';
import type { MatchState, NormalizedMessage } from '#records/types.ts';
import { normalizeMessage, normalizeSnapshot } from '../normalize.ts';

const score = z.object({ home: z.int(), away: z.int() }).nullable();

const vectorSchema = z.object({
  name: z.string().optional(),
  event_id: z.int(),
  why: z.string().default('no reason given'),
  messages: z.array(z.record(z.string(), z.unknown())),
  expect: z.strictObject({
    score,
    firm: score,
    source: z.string(),
    coverage: z.string(),
    reported: score,
    agreement: z.string(),
    under_review: z.boolean(),
    counting_goals: z.array(z.string()),
    void_goals: z.record(z.string(), z.string()),
    orphans: z.array(z.string()),
    removed: z.array(z.string()),
    status_id: z.int().nullable(),
    bet_status: z.string().nullable(),
  }),
});

const snapshotSchema = z.object({ event_id: z.int(), time: z.int(), incidents: z.array(z.unknown()) });

/** Messages of one event as a provider sent them, and the expected state. */
export type Vector = Omit<z.infer<typeof vectorSchema>, 'messages' | 'name'> & {
  /** The name in the file, else the name of the file. */
  readonly name: string;
  readonly messages: readonly NormalizedMessage[];
};

/** The folders of the vectors: VECTORS_DIR, by default `../shared/vectors-2` and `-3` beside the repository. */
export const VECTOR_FOLDERS = (
  process.env.VECTORS_DIR === undefined
    ? ['vectors-2', 'vectors-3'].map((name) => join(import.meta.dirname, '../../../../shared', name))
    : [process.env.VECTORS_DIR]
).map((folder) => resolve(folder));

/**
 * Reads every vector of a folder, with its messages normalized; none without the folder. As in the services, a message of an
 * unused type does not reach match state, and of one that cannot be normalized only its mark does.
 */
export function readVectors(folder: string): Vector[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const vector = vectorSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
      return {
        ...vector,
        name: vector.name ?? basename(file, '.json'),
        messages: vector.messages.flatMap((message, index) => normalize(message, index)),
      };
    });
}

/** Returns the fields of a state that vectors contain. */
export function expectable(state: MatchState): Vector['expect'] {
  return vectorSchema.shape.expect.strip().parse(state);
}

function normalize(message: Record<string, unknown>, index: number): NormalizedMessage[] {
  // A message counts as received at its own time.
  const own = toWholeNumber(message.type === 'snapshot' ? message.time : message.ut);
  const receivedAt = (own ?? 0) * 1_000;
  const context = { origin: 'webhook', deliveryId: 'vector', receivedAt } as const;
  const normalized =
    message.type === 'snapshot'
      ? normalizeSnapshot(snapshotOf(message, index), { ...context, origin: 'feed' })
      : normalizeMessage(message, context);
  if (normalized.kind === 'normalized') return [normalized.message];
  return normalized.kind === 'unreadable' && normalized.mark !== null ? [normalized.mark] : [];
}

function snapshotOf(message: Record<string, unknown>, index: number) {
  const { event_id, time, incidents } = snapshotSchema.parse(message);
  return { messageId: `snapshot-${index}`, eventId: event_id, time, incidents };
}
