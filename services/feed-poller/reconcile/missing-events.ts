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

/** The events that may be missing, and the lists that would have them. */
export class MissingEvents {
  readonly #events = new Map<number, MissingEvent>();
  /** The events of each list, as of its last answer; before the first one, as of the last poller. */
  readonly #lists: Map<string, ReadonlySet<number>>;
  /** The events of each list that a next poller must know. */
  readonly #known: Map<string, ReadonlySet<number>>;
  /** When a list was last read. */
  #listedAt = Number.NEGATIVE_INFINITY;
  #controls = 0;

  /** `published`: the events with a checkpoint, with the provider's time of their absence. `lists`: what `unsaved` returned last. */
  constructor(
    published: Iterable<readonly [id: number, ut: number]>,
    lists: Iterable<readonly [list: string, ids: readonly number[]]>,
    now: number,
  ) {
    for (const [id, publishedUt] of published) this.#events.set(id, { at: now, looks: 1, publishedUt });
    this.#known = new Map(Array.from(lists, ([list, ids]) => [list, new Set(ids)]));
    this.#lists = new Map(this.#known);
  }

  ids(): number[] {
    return [...this.#events.keys()];
  }

  /** Applies a whole list. Returns the events to check: those that no list has any more, and missing ones that it has. */
  onList(list: string, ids: ReadonlySet<number>, now: number): number[] {
    const before = this.#lists.get(list) ?? new Set();
    this.#lists.set(list, ids);
    this.#listedAt = now;
    const gone = [...before].filter((id) => !this.#isListed(id));
    for (const id of gone) this.#suspect(id, now);
    for (const id of ids) if (this.publishedUt(id) === null) this.#events.delete(id);
    return [...gone, ...[...ids].filter((id) => this.#events.has(id))];
  }

  /** Returns a list's events for a next poller where they changed, else null: those it has, or had until a check settles them. */
  unsaved(list: string): readonly number[] | null {
    const before = this.#known.get(list) ?? new Set();
    const isUndecided = (id: number): boolean =>
      this.#events.get(id)?.looks === 0 && this.publishedUt(id) === null;
    const known = new Set([...(this.#lists.get(list) ?? []), ...[...before].filter(isUndecided)]);
    if (known.size === before.size && known.values().every((id) => before.has(id))) return null;
    this.#known.set(list, known);
    return [...known];
  }

  forget(list: string): void {
    this.#lists.delete(list);
    this.#known.delete(list);
  }

  /** Applies a message of an event. Returns whether the event is to be checked: it may be back. */
  onMessage(id: number, now: number): boolean {
    const known = this.#events.get(id);
    if (known !== undefined) Object.assign(known, { at: now, looks: 0 });
    return known !== undefined;
  }

  /** Returns what a 404 of an event proves at `now`. */
  look(id: number, now: number): Look {
    if (this.#isListed(id)) return 'nothing';
    const known = this.#suspect(id, now);
    if (known.looks === 0) return this.#listedAt < known.at ? 'nothing' : 'missing';
    if (this.#listedAt <= known.at) return 'nothing';
    return this.#count(now) > MAX_MISSING ? 'held' : 'deleted';
  }

  /** Returns an event that a list has, in turn: unless the provider answers for it, a 404 proves nothing. Null without one. */
  control(): number | null {
    const listed = [...this.#lists.values().flatMap((ids) => [...ids])];
    this.#controls += 1;
    return listed[this.#controls % listed.length] ?? null;
  }

  /** Notes that a look was published with this time of the provider, Unix seconds. */
  published(id: number, look: 'missing' | 'deleted', ut: number, now: number): void {
    this.#events.set(id, { at: now, looks: look === 'missing' ? 1 : 2, publishedUt: ut });
  }

  /** Returns the provider's time of an event's published absence, Unix seconds; null without one. */
  publishedUt(id: number): number | null {
    return this.#events.get(id)?.publishedUt ?? null;
  }

  found(id: number): void {
    this.#events.delete(id);
  }

  #isListed(id: number): boolean {
    return this.#lists.values().some((ids) => ids.has(id));
  }

  #suspect(id: number, now: number): MissingEvent {
    const known = this.#events.get(id) ?? { at: now, looks: 0, publishedUt: null };
    this.#events.set(id, known);
    return known;
  }

  /** Returns the number of events that are missing, or were deleted lately. */
  #count(now: number): number {
    return [...this.#events.values()].filter(({ looks, at }) => looks < 2 || now - at < RECENT_MS).length;
  }
}
