/** A year of operation: the system, its matches, its customers, and what was found. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputProgress, totalLag } from '#cluster/logs.ts';
import { signatureHeaders } from '#signing/signing.ts';
import { applicationOf, PROCESSORS } from '#topics/processors.ts';
import { topicName } from '#topics/topics.ts';
import { API_AND_TOOLS } from '../../cli/services.ts';
import { metricValue } from '../../test/support/metric-value.ts';
import { ask, type ShortAnswer } from './ask.ts';
import { CheckError, checkCustomer, checkEvents, checkTopics, RestClient, require } from './checks.ts';
import type { SteppedClock } from './clock.ts';
import { Customer, certificateUntil, type ServerCertificate } from './customer.ts';
import { type GrowthFinding, measure, metricsOf, type Sample } from './measure.ts';
import {
  announcement,
  kickOffOf,
  MATCH_MINUTES,
  matchesOfYear,
  messagesOf,
  postponement,
  type YearMatch,
} from './season.ts';
import { PREFIX, YearSystem } from './system.ts';

export const DAY = 86_400_000;
/** Messages of a delivery of the provider. */
const DELIVERY = 50;
/** Every so many deliveries are repeated, as providers do. */
const REPEAT_EVERY = 10;
/** The clock steps by so many minutes within a match, so that its day takes seconds. */
const SLICE_MINUTES = 30;
const SETTLE_MS = 120_000;
/** So many looks in a row find nothing to do: services learn of new records a moment after they are written. */
const STILL = 3;

/** Outcome of a check: what differs, null when it passed. */
export type Check = { readonly at: number; readonly what: string; readonly problem: string | null };
export type YearRecord = {
  readonly realSeconds: number;
  readonly checks: readonly Check[];
  readonly growth: readonly GrowthFinding[];
  readonly samples: readonly Sample[];
};

export class Year {
  readonly clock: SteppedClock;
  readonly system: YearSystem;
  readonly customer: Customer;
  readonly client: RestClient;
  readonly matches = matchesOfYear();
  readonly played = new Set<YearMatch>();
  readonly announced: YearMatch[] = [];
  readonly checks: Check[] = [];
  readonly samples: Sample[] = [];
  /** Whether the customer accepts nothing: what is undelivered then is no work to wait for. */
  isCustomerAway = false;
  /** The provider's secret. */
  readonly #secret = randomBytes(16).toString('hex');
  /** Certificates of the customer: the one that expires, and the one that replaces it. */
  readonly renewed: ServerCertificate;
  accepted = 0;
  #deliveries = 0;

  private constructor(of: Pick<Year, 'clock' | 'system' | 'customer' | 'client' | 'renewed'>) {
    this.clock = of.clock;
    this.system = of.system;
    this.customer = of.customer;
    this.client = of.client;
    this.renewed = of.renewed;
  }

  /** Starts everything. The customer's first certificate expires at `expiry`, Unix milliseconds. */
  static async start(folder: string, clock: SteppedClock, expiry: number): Promise<Year> {
    const begin = clock.now() - DAY;
    const { customer, certificate } = await Customer.start(begin, expiry);
    const renewed = await certificateUntil(begin, begin + 800 * DAY);
    const system = await YearSystem.start(folder, clock);
    const client = new RestClient(system.url('API_PORT'), { id: '', secret: '' });
    const year = new Year({ clock, system, customer, client, renewed });
    writeFileSync(join(folder, 'ca.pem'), `${certificate.cert}\n${renewed.cert}`);
    system.set({
      WEBHOOK_SECRET: year.#secret,
      CLIENTS_KEY: randomBytes(32).toString('hex'),
      WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
      WEBHOOK_CA_FILE: join(folder, 'ca.pem'),
    });
    try {
      await system.startServices();
      const printed = await system.succeed('clients', 'add', '--name', 'year');
      const [, id = '', secret = ''] = /client_id (\d+)[\s\S]*secret_key (\w+)/.exec(printed) ?? [];
      client.credentials = { id, secret };
      await system.succeed('clients', 'webhook', 'add', id, '--url', customer.url);
      return year;
    } catch (error) {
      await year.stop();
      throw error;
    }
  }

  note(what: string): void {
    console.log(`${new Date(this.clock.now()).toISOString().slice(0, 16)}  ${what}`);
  }

  /** Runs a check and records its outcome; the year goes on after a failed one. */
  async check(what: string, run: () => Promise<void> | void): Promise<void> {
    let problem: string | null = null;
    try {
      await run();
    } catch (error) {
      problem = error instanceof CheckError ? error.message : String((error as Error).stack);
    }
    this.checks.push({ at: this.clock.now(), what, problem });
    const day = new Date(this.clock.now()).toISOString().slice(0, 10);
    if (problem !== null) console.log(`${day}  FAILED ${what}: ${problem}`);
  }

  /** Posts messages as the provider does. Throws when they are not accepted. */
  async deliver(messages: readonly object[]): Promise<void> {
    for (let at = 0; at < messages.length; at += DELIVERY) {
      const part = messages.slice(at, at + DELIVERY);
      this.#deliveries += 1;
      const times = this.#deliveries % REPEAT_EVERY === 0 ? 2 : 1;
      for (let n = 0; n < times; n++) {
        const { status, body } = await this.#post(part);
        if (status !== 200 || body !== 'Accepted')
          throw new Error(`a delivery was answered ${status} ${body}`);
        this.accepted += part.length;
      }
    }
  }

  #post(messages: readonly object[]): Promise<ShortAnswer> {
    const body = Buffer.from(JSON.stringify(messages));
    const signature = signatureHeaders(body, this.#secret, this.clock.now());
    const headers = { 'content-type': 'application/json', ...signature };
    return ask(`${this.system.url('WEBHOOK_PORT')}/webhook`, { method: 'POST', headers, body });
  }

  async announce(matches: readonly YearMatch[]): Promise<void> {
    const now = this.clock.now();
    await this.deliver(matches.map((match) => announcement(match, match.announced, now)));
    this.announced.push(...matches);
  }

  /**
   * Steps to a time once nothing is at work, Unix milliseconds: on no machine do days pass while a transaction is open.
   */
  async stepTo(at: number): Promise<void> {
    await this.settle();
    this.clock.setTo(at);
  }

  /**
   * Plays the matches of a day in slices. With `sleeps` the machine sleeps between the slices while messages are processed, so that
   * transactions are open as its clock steps.
   */
  async playDay(matches: readonly YearMatch[], sleeps: boolean): Promise<void> {
    const [{ day }] = matches as [YearMatch];
    const messages = matches.flatMap(messagesOf).sort((a, b) => a.at - b.at);
    let next = 0;
    for (let minute = SLICE_MINUTES; minute <= MATCH_MINUTES; minute += SLICE_MINUTES) {
      const at = kickOffOf(day) + minute * 60_000;
      if (sleeps) this.clock.setTo(at);
      else await this.stepTo(at);
      const until = next;
      while ((messages[next]?.at ?? Number.POSITIVE_INFINITY) <= this.clock.now()) next += 1;
      await this.deliver(messages.slice(until, next).map(({ message }) => message));
    }
    if (next < messages.length) throw new Error('a match is longer than its day');
    for (const match of matches) this.played.add(match);
  }

  async postpone(matches: readonly YearMatch[]): Promise<void> {
    await this.deliver(matches.map((match) => postponement(match, this.clock.now())));
    this.note(`${matches.length} matches are postponed`);
  }

  /**
   * Waits until all that was accepted is processed, served, and, unless the customer is away, sent. Returns the real time that it
   * took, milliseconds.
   */
  async settle(): Promise<number> {
    const began = performance.now();
    const input = {
      brokers: this.system.kafka.brokers,
      application: applicationOf(PREFIX, 'match-processor'),
      input: topicName(PREFIX, PROCESSORS['match-processor'].input),
    };
    await YearSystem.until(
      'the match processor is behind nothing',
      async () => totalLag(await inputProgress(input)) === 0,
      SETTLE_MS,
    );
    let received = -1;
    let still = 0;
    const isStill = async (): Promise<boolean> => {
      const lags = await Promise.all([
        this.metric('standings-processor', 'touchline_lag_records'),
        this.metric('match-processor', 'touchline_lag_records'),
        this.metric(API_AND_TOOLS, 'touchline_api_lag_records'),
        this.isCustomerAway ? 0 : this.metric('webhook-dispatcher', 'touchline_dispatcher_behind_records'),
      ]);
      const isNothing = lags.every((lag) => lag === 0) && received === this.customer.messages;
      still = isNothing ? still + 1 : 0;
      received = this.customer.messages;
      return still === STILL;
    };
    await YearSystem.until('everything is served and sent', isStill, SETTLE_MS);
    return performance.now() - began;
  }

  /** Returns the sum of a metric of a service; NaN while the service does not answer. */
  async metric(service: string, name: string, label = ''): Promise<number> {
    const url = this.system.services().find((one) => one.name === service)?.metricsUrl ?? '';
    const metrics = await metricsOf(url).catch(() => null);
    return metrics === null ? Number.NaN : metricValue(metrics, name, label);
  }

  /** Measures once all services answer: one may be starting again. */
  async sample(): Promise<void> {
    await YearSystem.until('all services answer', async () => {
      const sample = await measure(this.system, this.clock.now(), this.played.size).catch(() => null);
      if (sample !== null) this.samples.push(sample);
      return sample !== null;
    });
  }

  /** Checks all that was played so far. */
  async checkMonth(): Promise<void> {
    await this.check('scores and statuses of all matches on REST', () =>
      checkEvents(this.client, this.announced, this.played),
    );
    await this.check(
      'input is stored once, every change is there once, the customer was sent all',
      async () => {
        const versions = await checkTopics(this.system, this.accepted);
        checkCustomer(this.customer, versions, this.played);
      },
    );
    await this.check('doctor fails nothing, and warns of nothing', async () => {
      const { code, out } = await this.doctor();
      require(code === 0 && /0 failed, 0 warnings/.test(out), out
        .split('\n')
        .filter((line) => !line.startsWith('ok'))
        .join('; '));
    });
  }

  doctor(): Promise<{ code: number; out: string }> {
    return this.system.command(['doctor']);
  }

  async stop(): Promise<void> {
    await this.system.stop();
    this.customer.stop();
  }
}
