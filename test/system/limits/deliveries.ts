/** Deliveries to a receiver that lacks something, and what must have become of those that it accepted. */
import { expect } from 'vitest';
import { incidentMessage } from '#ingestion/testing/messages.ts';
import { untilTrue } from '../../support/poll.ts';
import { deliverSigned, type System } from '../../support/system.ts';

const EVENT = 7_000_000;
const DELIVERY_MS = 5_000;

/** Delivers incidents to a receiver, each in an event of its own, and remembers those that it accepted. */
export class Deliveries {
  readonly #url: string;
  readonly #accepted: number[] = [];
  #sent = 0;

  constructor(url: string) {
    this.#url = url;
  }

  get incidents(): string[] {
    return this.#accepted.map((id) => `5-${id}`);
  }

  async send(): Promise<boolean> {
    const id = this.#sent;
    this.#sent += 1;
    const message = incidentMessage({ id }, { id: `5-${id}` }, { id: EVENT + id });
    const isAccepted = await deliverSigned(this.#url, [message], {
      signal: AbortSignal.timeout(DELIVERY_MS),
    }).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isAccepted) this.#accepted.push(id);
    return isAccepted;
  }

  /** Sends this number of deliveries, each of which must be accepted. */
  async sendAll(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += 1) expect(await this.send()).toBe(true);
  }

  async untilAccepted(): Promise<void> {
    await untilTrue('a delivery is accepted again', () => this.send());
  }

  /** Expects each accepted incident on the topics of matches, and no change twice. */
  async expectAll(system: System): Promise<void> {
    const { incidents, transitions } = await system.output();
    expect(this.#accepted.filter((id) => !incidents.has(`${EVENT + id}/5-${id}`))).toEqual([]);
    const changes = transitions.map(({ event_id, version, n }) => `${event_id}/${version}/${n}`);
    expect(changes.length).toBe(new Set(changes).size);
  }
}
