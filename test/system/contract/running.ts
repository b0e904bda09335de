/** Serves the contract by a real process, from topics that the real pipeline has written. */
import { beforeAll } from 'vitest';
import type { NormalizedMessage } from '#records/types.ts';
import { backbone } from '../../setup/backbone.ts';
import { type ApiReplica, clients, credentialsOf, startApi } from '../../support/api.ts';
import type { PipelineConnection } from '../../support/pipeline.ts';
import { publishValues } from '../../support/publish-values.ts';
import { rulesFolder } from '../../support/standings/rules-folder.ts';
import { TablesPipeline } from '../../support/standings/tables-pipeline.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { contract, NARROW, type ServedClient, ServedContract, serveBy } from './served.ts';
import { LEAGUE_RULES, messages } from './world.ts';
import { catalogue } from './world-catalogue.ts';

class RunningApi extends ServedContract {
  readonly api: ApiReplica;
  readonly everything: ServedClient;
  readonly narrow: ServedClient;
  readonly #tables: TablesPipeline;

  private constructor(
    api: ApiReplica,
    tables: TablesPipeline,
    everything: ServedClient,
    narrow: ServedClient,
  ) {
    super();
    this.api = api;
    this.#tables = tables;
    this.everything = everything;
    this.narrow = narrow;
  }

  static async start(): Promise<RunningApi> {
    const tables = await TablesPipeline.create({
      ...backbone(),
      services: ['match-processor', 'standings-processor', 'api'],
    });
    const { pipeline } = tables;
    const { connection } = pipeline;
    pipeline.startProcessor();
    tables.startTables({ RULES_DIR: rulesFolder({ 'league.json': LEAGUE_RULES }) });
    await Promise.all([pipeline.feed(messages()), publishCatalogue(connection)]);
    const [everything, narrow] = await Promise.all([
      clients(connection, 'add --id 1 --name everything'),
      clients(
        connection,
        `add --id 2 --competitions ${NARROW.competitions} --operations ${NARROW.operations.join(',')}`,
      ),
      tables.settled(),
    ]);
    const api = await startApi(connection, temporaryFolder());
    return new RunningApi(api, tables, await clientOf(api, everything), await clientOf(api, narrow));
  }

  /** The connection of the system. */
  get connection(): PipelineConnection {
    return this.#tables.pipeline.connection;
  }

  override async publish(...messages: readonly NormalizedMessage[]): Promise<void> {
    const { pipeline } = this.#tables;
    await pipeline.feed(messages);
    await pipeline.settled();
  }
}

/** Starts the api before all tests of the file. */
export function serveOnce(): void {
  beforeAll(async () => serveBy(await RunningApi.start()));
}

/** Returns the api of this file, which runs. */
export function running(): RunningApi {
  const api = contract();
  if (!(api instanceof RunningApi)) throw new Error('it is served by no process');
  return api;
}

function publishCatalogue(connection: PipelineConnection): Promise<void> {
  return publishValues(
    connection,
    'catalogue',
    catalogue().map((value) => ({ key: `${value.kind}/${value.id}`, value })),
  );
}

async function clientOf(api: ApiReplica, credentials: string): Promise<ServedClient> {
  return { ...credentialsOf(credentials), token: await api.token(credentials) };
}
