import { type FeedAnswer, isProviderError, itemBytes, ProviderError } from '../provider/answer.ts';
import { readPages, type WholeList } from '../provider/paging.ts';
import type { ProviderClient } from '../provider/provider.ts';
import type { Raw } from '../provider/tree.ts';

/** Page size of incidents: most matches fit into one page. */
const PAGE = 500;

type ListedIncident = {
  readonly id: string;
  /** Whether its record says that it was deleted: then it is not present, whichever list has it. */
  readonly deleted: boolean;
  readonly bytes: Buffer;
};

/** Why a list is no snapshot. `empty`: though some are known or needed; `count`: not as many as it says; `older` than a published one. */
export type ListRefusal = 'empty' | 'count' | 'older' | 'unreadable';

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
  /** Whether the reported result has goals. */
  readonly hasGoals: boolean;
};

type IncidentListsOptions = {
  readonly provider: Pick<ProviderClient, 'get'>;
  /** Called when the list of deleted incidents cannot be read; the plain list counts without it. */
  readonly onFailure: (error: ProviderError) => void;
};

/** Reads incident lists, and judges whether each is plausible. */
export class IncidentLists {
  readonly #options: IncidentListsOptions;

  constructor(options: IncidentListsOptions) {
    this.#options = options;
  }

  /** Reads the list of an event; one more request if it omits a known incident. Throws `ProviderError`. */
  async read(id: number, known: KnownOfEvent, signal: AbortSignal): Promise<IncidentList> {
    const list = await this.#readWhole(id, signal);
    if (list === null) return { timestamp: null, items: [], deleted: [], refusal: 'count' };
    const { timestamp, items } = list;
    if (known.publishedAt !== null && timestamp < known.publishedAt)
      return { ...list, deleted: [], refusal: 'older' };
    const present = items.filter((one) => !one.deleted);
    const omitted = known.omittedBy(new Set(present.map((one) => one.id)), timestamp);
    const deleted = omitted.length === 0 ? [] : await this.#readDeleted(id, present, signal);
    const proven = new Set([...items, ...deleted].map((one) => one.id));
    const lacks = known.hasGoals || omitted.some((one) => !proven.has(one));
    return { timestamp, items, deleted, refusal: present.length === 0 && lacks ? 'empty' : null };
  }

  /** Returns the list; null when its number of incidents never equals its count. */
  async #readWhole(id: number, signal: AbortSignal): Promise<WholeList<ListedIncident> | null> {
    const request = { operation: 'events.incidents', id, query: { deleted: 'no', limit: PAGE } } as const;
    const idOf = (incident: ListedIncident): string => incident.id;
    try {
      const paging = { absenceCounts: true, idOf, itemsOf: incidentsOf };
      return await readPages(this.#options.provider, request, paging, signal);
    } catch (error) {
      if (isProviderError(error, 'INCONSISTENT')) return null;
      throw error;
    }
  }

  /** Returns the first page of the deleted incidents; empty when it cannot be read. */
  async #readDeleted(
    id: number,
    listed: readonly ListedIncident[],
    signal: AbortSignal,
  ): Promise<readonly ListedIncident[]> {
    const query = { deleted: 'yes', limit: PAGE, page: 1 };
    try {
      const answer = await this.#options.provider.get({ operation: 'events.incidents', id, query }, signal);
      const deleted = incidentsOf(answer);
      return areDeleted(deleted, listed) ? deleted : [];
    } catch (error) {
      if (!(error instanceof ProviderError) || error.code === 'STOPPED') throw error;
      this.#options.onFailure(error);
      return [];
    }
  }
}

/** Whether records are deleted ones: a server that ignores `deleted=yes` answers with those that are present. */
function areDeleted(records: readonly ListedIncident[], listed: readonly ListedIncident[]): boolean {
  if (records.every(({ deleted }) => deleted)) return true;
  const present = new Set(listed.map(({ id }) => id));
  return present.size > 0 && records.every(({ id }) => !present.has(id));
}

function incidentsOf(answer: FeedAnswer): ListedIncident[] {
  const { data } = answer;
  if (!Array.isArray(data)) {
    throw new ProviderError('BAD_ANSWER', 'events.incidents', 'the incidents are not a list');
  }
  const bytes = itemBytes(answer);
  // Items that are no records are kept: normalizing then sends the whole list to dead letters.
  return bytes.map((one, at) => {
    const record = data[at] as Raw | null;
    const deleted = String(record?.action).toLowerCase() === 'delete';
    return { id: String(record?.id ?? one), deleted, bytes: one };
  });
}
