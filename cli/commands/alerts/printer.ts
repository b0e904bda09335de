import { EPISODE_KINDS } from '#processors/alerts/stale-matches.ts';
import type { Alert } from '#records/types.ts';
import { alertText } from '#story/alerts.ts';
import { escapeLine } from '../../values.ts';

/** Time for the leader to publish an alert that this process has found too. A stale match is printed within two seconds. */
const GRACE_MS = 100;
/** Kinds of alerts that this process finds too. */
const FOUND_HERE: ReadonlySet<string> = new Set(Object.entries(EPISODE_KINDS).flat());
/** Maximum number of remembered ids: more than are found during an outage of the broker. */
const MAX_IDS = 100_000;

/** Prints an alert; `offset` is that of its record, null when it is not published yet. */
export type PrintAlert = (alert: Alert, offset: number | null) => Promise<void>;

/**
 * Prints alerts, each once. This process finds stale feeds by its own clock, and the leader publishes them under the same ids:
 * the first of both is printed, so that a reader learns of a stale feed without a broker or a leader.
 */
export class AlertPrinter {
  readonly #print: PrintAlert;
  readonly #published = new Set<string>();
  readonly #early = new Set<string>();
  #pending: { readonly alert: Alert; readonly until: number }[] = [];

  constructor(print: PrintAlert) {
    this.#print = print;
  }

  /** Prints an alert of the topic, unless it was printed before it was published. */
  async published(alert: Alert, offset: number): Promise<void> {
    if (FOUND_HERE.has(alert.kind)) remember(this.#published, alert.id);
    if (!this.#early.has(alert.id)) await this.#print(alert, offset);
  }

  /** Adds alerts that this process found at `at` (steady clock, milliseconds), and prints those that are due and unpublished. */
  async found(alerts: readonly Alert[], at: number): Promise<void> {
    this.#pending.push(...alerts.map((alert) => ({ alert, until: at + GRACE_MS })));
    const due = this.#pending.filter(({ until }) => until <= at);
    this.#pending = this.#pending.filter(({ until }) => until > at);
    for (const { alert } of due) {
      if (this.#published.has(alert.id) || this.#early.has(alert.id)) continue;
      remember(this.#early, alert.id);
      await this.#print(alert, null);
    }
  }
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > MAX_IDS && oldest !== undefined) ids.delete(oldest);
}

/** Returns an alert as a line for people: time of receipt (UTC), its text, its ids. */
export function alertLine(alert: Alert): string {
  const { event_id, incident_id, rule, received_at } = alert;
  const parts = [
    new Date(received_at).toISOString().slice(11, 19),
    alertText(alert),
    `match ${event_id}`,
    incident_id === null ? null : `incident ${incident_id}`,
    `rule ${rule}`,
  ];
  return escapeLine(parts.filter((part) => part !== null).join('  '));
}
