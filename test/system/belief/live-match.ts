/** A live match that a provider reports by webhooks and by the REST that a poller reads. */
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { TestProvider } from '../../integration/feed-poller/provider.ts';
import { atEnd } from '../../support/at-end.ts';
import { deliverSigned } from '../../support/system.ts';
import { LEVEL_IDS } from '../contract/fed.ts';

const side = (id: number, counter: 1 | 2, name: string, reportsResult: boolean) => ({
  id,
  counter,
  name,
  short_name: name,
  acronym: name,
  stats: [],
  ...(reportsResult && { results: [{ id: 2, value: 0 }] }),
});

/** A live match with its two sources. */
export class WatchedMatch {
  readonly eventId: number;
  readonly provider: TestProvider;
  /** URL of the webhook receiver. */
  webhookUrl = '';
  delivers = true;
  speaks = true;
  /** How far its messages are behind, seconds. */
  lagSeconds = 0;
  /** Whether its messages have the provider's result. */
  reportsResult = true;
  #saidAt = 0;
  #clock = 0;

  private constructor(eventId: number, provider: TestProvider) {
    this.eventId = eventId;
    this.provider = provider;
  }

  /** Starts a match that reports once a second, by webhook once `webhookUrl` is set. */
  static async start(eventId: number): Promise<WatchedMatch> {
    const provider = await TestProvider.start();
    atEnd(() => provider.close());
    const match = new WatchedMatch(eventId, provider);
    match.#list();
    const speaking = setInterval(() => match.speaks && match.#isNewSecond && match.say(), 50);
    atEnd(async () => clearInterval(speaking));
    return match;
  }

  /** Stops answering REST requests. */
  cutRest(): void {
    this.provider.fault = () => 'hang';
  }

  restoreRest(): void {
    this.provider.fault = () => null;
  }

  /** Reports the match, with `fields` changed. */
  say(fields: Readonly<Record<string, unknown>> = {}): void {
    this.#saidAt = Math.floor(Date.now() / 1000);
    this.#clock += 1;
    const message = this.#list(fields);
    this.provider.feed.push(message);
    if (this.delivers && this.webhookUrl !== '') void this.#deliver(message);
  }

  /** Delivers a goal that cannot be read, as the type of its incident is no number. No message has a result then. */
  async sayUnreadableGoal(): Promise<void> {
    this.reportsResult = false;
    const message = incidentMessage(
      { id: 900_000, ut: Math.floor(Date.now() / 1000) },
      { id: '5-900000', incident_id: 'goal' },
      { ...LEVEL_IDS, id: this.eventId, name: 'Home - Away' },
    );
    await this.#deliver(message);
  }

  get #isNewSecond(): boolean {
    return Math.floor(Date.now() / 1000) > this.#saidAt;
  }

  #list(fields: Readonly<Record<string, unknown>> = {}) {
    const event = {
      ...LEVEL_IDS,
      id: this.eventId,
      name: 'Home - Away',
      clock_time: this.#clock,
      participants: [side(101, 1, 'Home', this.reportsResult), side(102, 2, 'Away', this.reportsResult)],
      ...fields,
    };
    const ut = Math.floor(Date.now() / 1000 - this.lagSeconds);
    const message = eventMessage({ id: 1_000 + this.#clock, ut }, event) as {
      readonly ut: number;
      readonly data: { readonly event: Record<string, unknown> };
    };
    this.provider.events.set(this.eventId, { ...message.data.event, ut });
    return { ...message };
  }

  async #deliver(message: unknown): Promise<void> {
    // A receiver that is down misses the message, which is in the feed.
    await deliverSigned(this.webhookUrl, [message], { signal: AbortSignal.timeout(5_000) }).catch(() => {});
  }
}
