/** Decides which events the provider no longer has: 404, and no list has them. Pure: milliseconds of the poller's clock. */

/** Number of missing events above which none is deleted: a contract or a catalogue is lost, and not matches. */
const MAX_MISSING = 20;
/** Time for which a deleted event counts as missing. */
const RECENT_MS = 3_600_000;

/**
 * `at`: when it was last suspected or seen to be missing; `looks`: those that were published since its last sign, 2 when it is
 * deleted; `publishedUt`: the provider's time of its last published absence, Unix seconds.
 */
type MissingEvent = { at: number; looks: 0 | 1 | 2; publishedUt: number | null };

/** What a 404 proves. `nothing`: a list has the event, or none was read since; `held`: too many events are missing. */
type Look = 'nothing' | 'missing' | 'deleted' | 'held';

export type MissingEvents = ReturnType<typeof missingEvents>;

/**
 * Returns the events that may be missing, and the lists that would have them. `published`: the events with a checkpoint, with the provider's
 * time of their absence. `saved`: what `unsaved` returned last.
 */
export function missingEvents(
  published: Iterable<readonly [id: number, ut: number]>,
  saved: Iterable<readonly [list: string, ids: readonly number[]]>,
  now: number,
) {
  const events = new Map<number, MissingEvent>();
  for (const [id, publishedUt] of published) events.set(id, { at: now, looks: 1, publishedUt });
  /** The events of each list that a next poller must know. */
  const known = new Map<string, ReadonlySet<number>>();
  for (const [list, ids] of saved) known.set(list, new Set(ids));
  /** The events of each list, as of its last answer; before the first one, as of the last poller. */
  const lists = new Map(known);
  /** When a list was last read. */
  let listedAt = Number.NEGATIVE_INFINITY;
  let controls = 0;

  const isListed = (id: number): boolean => lists.values().some((ids) => ids.has(id));
  const suspect = (id: number, at: number): MissingEvent => {
    const event = events.get(id) ?? { at, looks: 0, publishedUt: null };
    events.set(id, event);
    return event;
  };
  /** Returns the number of events that are missing, or were deleted lately. */
  const count = (at: number): number =>
    [...events.values()].filter((event) => event.looks < 2 || at - event.at < RECENT_MS).length;
  /** Returns the provider's time of an event's published absence, Unix seconds; null without one. */
  const publishedUt = (id: number): number | null => events.get(id)?.publishedUt ?? null;

  return {
    publishedUt,
    ids: (): number[] => [...events.keys()],
    /** Applies a whole list. Returns the events to check: those that no list has any more, and missing ones that it has. */
    onList(list: string, ids: ReadonlySet<number>, at: number): number[] {
      const before = lists.get(list) ?? new Set();
      lists.set(list, ids);
      listedAt = at;
      const gone = [...before].filter((id) => !isListed(id));
      for (const id of gone) suspect(id, at);
      for (const id of ids) if (publishedUt(id) === null) events.delete(id);
      return [...gone, ...[...ids].filter((id) => events.has(id))];
    },
    /** Returns a list's events for a next poller where they changed, else null: those it has, or had until a check settles them. */
    unsaved(list: string): readonly number[] | null {
      const before = known.get(list) ?? new Set();
      const isUndecided = (id: number): boolean => events.get(id)?.looks === 0 && publishedUt(id) === null;
      const wanted = new Set([...(lists.get(list) ?? []), ...[...before].filter(isUndecided)]);
      if (wanted.size === before.size && wanted.values().every((id) => before.has(id))) return null;
      known.set(list, wanted);
      return [...wanted];
    },
    forget(list: string): void {
      lists.delete(list);
      known.delete(list);
    },
    /** Applies a message of an event. Returns whether the event is to be checked: it may be back. */
    onMessage(id: number, at: number): boolean {
      const event = events.get(id);
      if (event !== undefined) Object.assign(event, { at, looks: 0 });
      return event !== undefined;
    },
    /** Returns what a 404 of an event proves at `at`. */
    look(id: number, at: number): Look {
      if (isListed(id)) return 'nothing';
      const event = suspect(id, at);
      if (event.looks === 0) return listedAt < event.at ? 'nothing' : 'missing';
      if (listedAt <= event.at) return 'nothing';
      return count(at) > MAX_MISSING ? 'held' : 'deleted';
    },
    /** Returns an event that a list has, in turn: unless the provider answers for it, a 404 proves nothing. Null without one. */
    control(): number | null {
      const listed = [...lists.values().flatMap((ids) => [...ids])];
      controls += 1;
      return listed[controls % listed.length] ?? null;
    },
    /** Notes that a look was published with this time of the provider, Unix seconds. */
    published: (id: number, look: 'missing' | 'deleted', ut: number, at: number): void =>
      void events.set(id, { at, looks: look === 'missing' ? 1 : 2, publishedUt: ut }),
    found: (id: number): void => void events.delete(id),
  };
}
