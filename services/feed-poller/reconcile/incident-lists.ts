import { type FeedAnswer, isProviderError, itemBytes, ProviderError } from '../provider/answer.ts';
import { readPages } from '../provider/paging.ts';
import type { ProviderClient } from '../provider/provider.ts';
import type { Raw } from '../provider/tree.ts';

/** Page size of incidents: most matches fit into one page. */
const PAGE = 500;

/** `deleted`: whether its record says so; then it is not present, whichever list has it. */
type ListedIncident = Readonly<{ id: string; deleted: boolean; bytes: Buffer }>;

/** Why a list is no snapshot. `empty`: though some are known or needed; `count`: not as many as it says; `older` than a published one. */
type ListRefusal = 'empty' | 'count' | 'older' | 'unreadable';

/** An incident list of an event, and what the provider lists as deleted where the list omits a known incident. */
export type IncidentList = {
  /** `api.timestamp`, Unix seconds; null for a list that was never whole. */
  readonly timestamp: number | null;
  readonly items: readonly ListedIncident[];
  readonly deleted: readonly ListedIncident[];
  readonly refusal: ListRefusal | null;
};

type KnownOfEvent = {
  /** Time of the last published list, Unix seconds; null before the first. */
  readonly publishedAt: number | null;
  /** Returns the ids of known incidents that a list with these ids at a time omits. */
  readonly omittedBy: (listed: ReadonlySet<string>, at: number) => readonly string[];
  readonly hasGoals: boolean;
};

type Provider = Pick<ProviderClient, 'get'>;

/**
 * Reads the list of an event and judges whether it is plausible; one more request if it omits a known incident. Where that of deleted
 * incidents cannot be read, the plain list counts without it. Throws `ProviderError`.
 */
export async function readIncidentList(
  provider: Provider,
  id: number,
  { publishedAt, omittedBy, hasGoals }: KnownOfEvent,
  signal: AbortSignal,
): Promise<IncidentList> {
  const request = { operation: 'events.incidents', id, query: { deleted: 'no', limit: PAGE } } as const;
  const paging = {
    absenceCounts: true,
    idOf: (incident: ListedIncident) => incident.id,
    itemsOf: incidentsOf,
  };
  const list = await readPages(provider, request, paging, signal).catch((error: unknown) => {
    if (isProviderError(error, 'INCONSISTENT')) return null;
    throw error;
  });
  if (list === null) return { timestamp: null, items: [], deleted: [], refusal: 'count' };
  const { timestamp, items } = list;
  if (publishedAt !== null && timestamp < publishedAt) return { ...list, deleted: [], refusal: 'older' };
  const present = new Set(items.filter((one) => !one.deleted).map((one) => one.id));
  const omitted = omittedBy(present, timestamp);
  const deleted = omitted.length === 0 ? [] : await readDeleted(provider, id, present, signal);
  const proven = new Set([...items, ...deleted].map((one) => one.id));
  const lacks = hasGoals || omitted.some((one) => !proven.has(one));
  return { timestamp, items, deleted, refusal: present.size === 0 && lacks ? 'empty' : null };
}

/** Returns the first page of the deleted incidents; empty when it cannot be read, or a server that ignores `deleted=yes` answers. */
async function readDeleted(
  provider: Provider,
  id: number,
  present: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly ListedIncident[]> {
  const query = { deleted: 'yes', limit: PAGE, page: 1 };
  try {
    const records = incidentsOf(await provider.get({ operation: 'events.incidents', id, query }, signal));
    const areOthers = present.size > 0 && records.every((one) => !present.has(one.id));
    return areOthers || records.every(({ deleted }) => deleted) ? records : [];
  } catch (error) {
    if (!(error instanceof ProviderError) || error.code === 'STOPPED') throw error;
    return [];
  }
}

function incidentsOf(answer: FeedAnswer): ListedIncident[] {
  const { data } = answer;
  if (!Array.isArray(data))
    throw new ProviderError('BAD_ANSWER', 'events.incidents', 'the incidents are not a list');
  // Items that are no records are kept: normalizing then sends the whole list to dead letters.
  return itemBytes(answer).map((bytes, at) => {
    const record = data[at] as Raw | null;
    const deleted = String(record?.action).toLowerCase() === 'delete';
    return { id: String(record?.id ?? bytes), deleted, bytes };
  });
}
