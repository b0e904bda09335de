import { createHash } from 'node:crypto';
import { resultKey } from '#domain/match-result.ts';
import { canonicalJson } from '#json/canonical-json.ts';
import type { NormalizedMessage, Standings } from '#records/types.ts';
import { Registry } from '#topics/registry.ts';
import { connectionEnv } from '../environment.ts';
import { Pipeline, type PipelineConnection } from '../pipeline.ts';
import { untilTrue } from '../poll.ts';
import { startService, type TestService } from '../processes.ts';

export type TablesOutput = {
  readonly log: readonly Standings[];
  readonly last: ReadonlyMap<number, Standings>;
};

/** The pipeline from provider messages to tables, with real processes. */
export class TablesPipeline {
  readonly pipeline: Pipeline;
  readonly #registry: Registry;

  private constructor(pipeline: Pipeline) {
    this.pipeline = pipeline;
    const { registryUrl, prefix } = pipeline.connection;
    this.#registry = new Registry({ url: registryUrl, prefix });
  }

  static async create(connection: PipelineConnection): Promise<TablesPipeline> {
    return new TablesPipeline(await Pipeline.create(connection));
  }

  startTables(settings: Readonly<Record<string, string>> = {}): TestService {
    return startService('standings-processor', {
      ...connectionEnv(this.pipeline.connection),
      SESSION_TIMEOUT_MS: '6000',
      ...settings,
    });
  }

  async feed(messages: readonly NormalizedMessage[]): Promise<void> {
    const feed = await this.pipeline.openFeed();
    for (let at = 0; at < messages.length; at += 1_000) await feed.send(messages.slice(at, at + 1_000));
    await feed.close();
  }

  /** Waits until the tables include every published message. */
  async settled(): Promise<void> {
    await this.pipeline.settled();
    const published = new Map<string, number>();
    await this.pipeline.read('match-results', (result) => published.set(resultKey(result), result.version));
    const codec = await this.#registry.codec('match-results');
    await untilTrue('the tables stand on every result', async () => {
      const taken: Buffer[] = [];
      await this.pipeline.read('standings-results', ({ result }) => taken.push(result));
      const results = await Promise.all(taken.map((bytes) => codec.read(bytes)));
      const versions = new Map(results.map((result) => [resultKey(result), result.version]));
      return [...published].every(([key, version]) => versions.get(key) === version);
    });
  }

  async output(): Promise<TablesOutput> {
    await this.settled();
    const log: Standings[] = [];
    await this.pipeline.read('standings', (table) => log.push(table));
    return { log, last: new Map(log.map((table) => [table.standings_id, table])) };
  }
}

/** Returns digests of all existing tables, by id: they must not depend on the order of messages. */
export function finalBytes(
  last: ReadonlyMap<number, Pick<Standings, 'groups' | 'later'>>,
): Record<string, string> {
  const tables = [...last].filter(([, { groups }]) => groups.length > 0).sort(([a], [b]) => a - b);
  return Object.fromEntries(
    tables.map(([id, { groups, later }]) => [
      id,
      createHash('sha256').update(canonicalJson({ groups, later })).digest('hex'),
    ]),
  );
}
