/** Something that happens at a time; to a process, or to the cluster. */
export type Event<P> = {
  at: number;
  order: number;
  readonly process: P | null;
  /** Null once it is cancelled. */
  run: (() => void) | null;
};

/** Events by time; those of one time in the order in which they were added. A binary heap. */
export class EventQueue<P> {
  readonly #heap: Event<P>[] = [];
  #order = 0;

  add(at: number, process: P | null, run: () => void): Event<P> {
    const event = { at, order: this.#order, process, run };
    this.#order += 1;
    this.#push(event);
    return event;
  }

  /** When the next event is; undefined where there is none. */
  get nextAt(): number | undefined {
    return this.#heap[0]?.at;
  }

  /** The next event; undefined where there is none. */
  take(): Event<P> | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    const size = heap.length;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && isBefore(heap[child + 1] as Event<P>, heap[child] as Event<P>)) child += 1;
      if (!isBefore(heap[child] as Event<P>, last)) break;
      heap[at] = heap[child] as Event<P>;
      at = child;
    }
    heap[at] = last;
    return first;
  }

  /** Puts an event back that was taken, for a later time: behind what is there for that time. */
  postpone(event: Event<P>, at: number): void {
    event.at = at;
    event.order = this.#order;
    this.#order += 1;
    this.#push(event);
  }

  #push(event: Event<P>): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent] as Event<P>)) break;
      heap[at] = heap[parent] as Event<P>;
      at = parent;
    }
    heap[at] = event;
  }
}

function isBefore<P>(a: Event<P>, b: Event<P>): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
