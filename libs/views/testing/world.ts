/** Views for tests: messages pass through the real laws into them, without a broker. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type FastifyInstance, fastify } from 'fastify';
import { restServerOptions } from '#contract/rest/error-answers.ts';
import type { Access } from '#contract/rest/provider.ts';
import { restRoutes } from '#contract/rest/routes.ts';
import { applyMessage, type Match, matchIncident, matchState, newMatch } from '#domain/match.ts';
import { normalized as normalizedMessage } from '#ingestion/testing/normalized.ts';
import type { FeedHealth, NormalizedMessage } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { atEnd } from '../../../test/support/at-end.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { ViewRecord } from '../records.ts';
import { createProviderData } from '../render/answers/provider-data.ts';
import { applyRecords } from '../render/apply.ts';
import { openViews, removeViews } from '../store/database.ts';
import type { ServedCompetitions } from '../store/served.ts';
import { Statements } from '../store/sql.ts';
import { type LostState, Views } from '../store/views.ts';

/** Time at which the messages of tests are received, Unix milliseconds. */
export const RECEIVED_AT = 1_790_000_000_500;

/** Size of SQLite's pages, bytes. */
const PAGE = 4_096;
const FILE = 'views.sqlite';

/** The access of a client that may see everything. */
export const EVERYTHING: Access = { clientId: 1, competitions: null, operations: null };

/** Damages closed views as a failing disk would: all pages but the first, or the first page of a table or index. */
export function damage(folder: string, name?: string): void {
  const path = join(folder, FILE);
  if (name === undefined) {
    damagePages(path);
    return;
  }
  const database = new DatabaseSync(path, { readOnly: true });
  const page = firstPage(new Statements(database), name);
  database.close();
  damagePages(path, page);
}

function firstPage(sql: Statements, name: string): number {
  return Number(sql.value<number>('SELECT rootpage FROM sqlite_schema WHERE name = ?', name));
}

/** Overwrites one page (the first is 1), or all pages but the first. */
function damagePages(path: string, page?: number): void {
  const from = page === undefined ? PAGE : PAGE * (page - 1);
  const to = page === undefined ? undefined : from + PAGE;
  writeFileSync(path, readFileSync(path).fill(0xa5, from, to), { flag: 'r+' });
}

/** Normalizes a provider message as the receiver does. */
export function normalized(message: unknown, receivedAt = RECEIVED_AT): NormalizedMessage {
  return normalizedMessage(message, receivedAt);
}

/** Sends a request, whose answer must have this status. Returns the `api` of its body. */
export async function askApi(app: FastifyInstance, url: string, status = 200, token = 't') {
  const answer = await app.inject(`${url}${url.includes('?') ? '&' : '?'}token=${token}`);
  if (answer.statusCode !== status) throw new Error(`${url}: ${answer.statusCode} ${answer.body}`);
  return answer.json().api;
}

/** Views in a temporary folder, with the laws in front of them. */
export class ViewsWorld {
  views: Views;
  /** Clock of the service, Unix milliseconds. */
  now = RECEIVED_AT;
  readonly #folder = temporaryFolder();
  readonly #matches = new Map<number, Match>();
  readonly #served: ServedCompetitions;
  #offset = 0;

  constructor(served: ServedCompetitions = null) {
    this.#served = served;
    this.views = this.#open();
    atEnd(() => this.views.close());
  }

  /** Closes and reopens the views, as a restart does. */
  restart(): void {
    this.views.close();
    this.views = this.#open();
  }

  /** Reopens the views with what their files have now, as after the end of a killed process. */
  kill(): void {
    const killed = this.views;
    const files = readdirSync(this.#folder).map(
      (name) => [name, readFileSync(join(this.#folder, name))] as const,
    );
    killed.close();
    removeViews(this.#folder);
    for (const [name, content] of files) writeFileSync(join(this.#folder, name), content);
    this.views = this.#open();
  }

  /** Damages the file of the open views, or a table of it. Reopens it before, so that no page of it is in memory. */
  damage(name?: string): void {
    this.restart();
    const page = name === undefined ? undefined : firstPage(this.views.sql, name);
    damagePages(join(this.#folder, FILE), page);
  }

  /** Applies provider messages as the pipeline does. */
  play(...messages: readonly unknown[]): void {
    for (const message of messages) {
      const { ut } = message as { ut?: unknown };
      this.take(normalized(message, Math.max(RECEIVED_AT, Number(ut) * 1_000)));
    }
  }

  /** Has the pipeline lose the state of a match. */
  forget(eventId: number): void {
    this.#matches.delete(eventId);
  }

  /** Applies the records that the pipeline writes for a message, in one batch. */
  take(message: NormalizedMessage): void {
    this.give(...this.recordsOf(message));
  }

  /** Returns the records that the pipeline writes for a message, the message first, without applying them. */
  recordsOf(message: NormalizedMessage): ViewRecord[] {
    const offset = this.#offset++;
    const id = message.event_id;
    const match = this.#matches.get(id) ?? newMatch(id);
    this.#matches.set(id, match);
    const { ut, received_at, message_id } = message;
    const cause = { topic: 'normalized-messages', partition: 0, offset, ut, received_at, message_id };
    const { transitions, incidents } = applyMessage(match, message, cause);
    const at = { partition: 0, offset, key: String(id), timestamp: received_at };
    const records: ViewRecord[] = [{ topic: 'normalized-messages', ...at, value: message }];
    for (const value of transitions) records.push({ topic: 'match-transitions', ...at, value });
    for (const incident of incidents)
      records.push({ topic: 'match-incidents', ...at, value: matchIncident(match, incident) });
    if (transitions.length > 0) records.push({ topic: 'match-state', ...at, value: matchState(match) });
    return records;
  }

  /** Applies records in one batch. */
  give(...records: readonly ViewRecord[]): readonly LostState[] {
    return applyRecords(this.views, records, [{ key: 'test-0', next: this.#offset, epoch: null }], this.now);
  }

  /** Applies feed health of a source, or of a match of it: of the webhooks, alive unless changed by `changes`. */
  health(eventId: number | null, changes: Partial<FeedHealth> = {}): void {
    const value: FeedHealth = {
      ...sampleOf('feed-health'),
      source: 'webhook',
      event_id: eventId,
      state: 'alive',
      reason: null,
      term: 1,
      valid_until: eventId === null ? this.now + 1 : null,
      ...changes,
    };
    const key = eventId === null ? value.source : `${value.source}/${eventId}`;
    this.give({ topic: 'feed-health', partition: 0, offset: this.#offset, key, value });
  }

  /** Serves the contract from these views. Each token has its own access. */
  async server(accesses: Readonly<Record<string, Access>> = { t: EVERYTHING }): Promise<FastifyInstance> {
    const now = () => this.now / 1000;
    const app = fastify(restServerOptions('1.2.3', now));
    await app.register(restRoutes, {
      data: createProviderData(this.views),
      authenticator: { exchange: async () => null, access: (token) => accesses[token] ?? null },
      now,
      version: '1.2.3',
    });
    atEnd(() => app.close());
    return app;
  }

  #open(): Views {
    const options = { folder: this.#folder, source: {}, maxAgeMs: 1e9, boot: 'a boot', now: RECEIVED_AT };
    return new Views(openViews(options), this.#served);
  }
}
