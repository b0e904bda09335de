/** An event at a time, for a process or for the cluster. */
export type ScheduledRun<P> = {
  at: number;
  order: number;
  /** Null for the cluster. */
  readonly process: P | null;
  /** Null once the event is cancelled. */
  run: (() => void) | null;
};

/** A queue of events by time, and by order of addition at the same time; a binary heap. */
export class EventQueue<P> {
  readonly #heap: ScheduledRun<P>[] = [];
  #order = 0;

  add(at: number, process: P | null, run: () => void): ScheduledRun<P> {
    const event = { at, order: this.#order, process, run };
    this.#order += 1;
    this.#push(event);
    return event;
  }

  /** Time of the next event; undefined when there is none. */
  get nextAt(): number | undefined {
    return this.#heap[0]?.at;
  }

  /** Removes and returns the next event; undefined when there is none. */
  take(): ScheduledRun<P> | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    const size = heap.length;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && isBefore(heap[child + 1] as ScheduledRun<P>, heap[child] as ScheduledRun<P>))
        child += 1;
      if (!isBefore(heap[child] as ScheduledRun<P>, last)) break;
      heap[at] = heap[child] as ScheduledRun<P>;
      at = child;
    }
    heap[at] = last;
    return first;
  }

  /** Puts a removed event back for a later time, after the existing events of that time. */
  postpone(event: ScheduledRun<P>, at: number): void {
    event.at = at;
    event.order = this.#order;
    this.#order += 1;
    this.#push(event);
  }

  #push(event: ScheduledRun<P>): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent] as ScheduledRun<P>)) break;
      heap[at] = heap[parent] as ScheduledRun<P>;
      at = parent;
    }
    heap[at] = event;
  }
}

function isBefore<P>(a: ScheduledRun<P>, b: ScheduledRun<P>): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
