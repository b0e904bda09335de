/** Prints alerts: those of the topic, and those of stale feeds that the topic does not bring in time. */
import type { Alert } from '#topics/generated/types.ts';
import type { AlertOutput } from './output.ts';

/** How long the leader has to publish what this process finds too. With a look and a heartbeat's validity it is below two seconds. */
const GRACE_MS = 100;
/** Ids that are remembered: more than are found while a broker does not answer. */
const MAX_IDS = 100_000;

/**
 * Alerts of stale feeds come twice: this process finds them by its own clock, and the leader publishes them. The first is printed,
 * the other has the same id and is not. So a broker that is gone, or a leader, keeps nobody believing.
 */
export class AlertPrinter {
  readonly #output: AlertOutput;
  readonly #published = new Set<string>();
  readonly #early: Set<string>;
  #waiting: { readonly alert: Alert; readonly until: number }[] = [];

  constructor(output: AlertOutput) {
    this.#output = output;
    this.#early = new Set(output.early);
  }

  /** Prints an alert of the topic, unless it was printed before it was there. */
  async published(alert: Alert, offset: number): Promise<void> {
    if (alert.kind === 'match_stale' || alert.kind === 'match_recovered') remember(this.#published, alert.id);
    if (!this.#early.has(alert.id)) await this.#output.write(alert, offset);
  }

  /** Alerts of stale feeds that this process found at a steady time, milliseconds; prints those that are not published by now. */
  async found(alerts: readonly Alert[], at: number): Promise<void> {
    this.#waiting.push(...alerts.map((alert) => ({ alert, until: at + GRACE_MS })));
    const due = this.#waiting.filter(({ until }) => until <= at);
    this.#waiting = this.#waiting.filter(({ until }) => until > at);
    for (const { alert } of due) {
      if (this.#published.has(alert.id) || this.#early.has(alert.id)) continue;
      remember(this.#early, alert.id);
      await this.#output.write(alert, null);
    }
  }
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > MAX_IDS && oldest !== undefined) ids.delete(oldest);
}
