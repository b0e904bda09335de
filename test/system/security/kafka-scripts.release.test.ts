/**
 * Runs the commands of Kafka's own scripts that pages and messages print: on a broker with an authorizer, where only the printed
 * commands give topics and rights; and on a transaction that nobody decides.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { describeCluster } from '#cluster/describe.ts';
import { commandsIn } from '../../../cli/testing/printed-commands.ts';
import { CountingApplication, keepingLog } from '../../integration/streams/counting.ts';
import { backbone } from '../../setup/backbone.ts';
import { writeText } from '../../support/certificates.ts';
import { CLIENTS_KEY, connectionEnv } from '../../support/environment.ts';
import { kafkaScripts } from '../../support/kafka-scripts.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { startService } from '../../support/processes.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { runBlock } from '../../support/runbook.ts';
import { PASSWORD, type SecuredKafka, startSecuredKafka } from '../../support/secured-kafka.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { leaveUndecided, UNVERIFIED } from '../../support/undecided.ts';

const GUIDES = join(import.meta.dirname, '../../../docs/guides');
const MECHANISM = 'SCRAM-SHA-256';
/** What the prose of the pages has an operator run for rights. */
const OF_RIGHTS = ['acls --print', 'acls --print --service api --principal User:touchline', 'topics --print'];

type ShellEnv = Readonly<Record<string, string>>;

let scripts: string;

beforeAll(async () => {
  scripts = await kafkaScripts();
});

async function shell(lines: string, env: ShellEnv, folder?: string): Promise<string> {
  const { code, out, err } = await runBlock(`PATH="$PATH:${scripts}"\n${lines}`, env, folder);
  expect(code, `${lines}\n${out}${err}`).toBe(0);
  return out;
}

/** Runs a command of `touchline` in a process, and returns its output. Doctor may find something. */
async function runs(command: string, env: ShellEnv): Promise<string> {
  const { code, out, err } = await runBlock(`npx touchline ${command}`, env);
  expect(command === 'doctor' ? [0, 1] : [0], `${command}\n${out}${err}`).toContain(code);
  return out;
}

function ofPage(page: string, start: RegExp): string {
  const [found] = start.exec(readFileSync(join(GUIDES, page), 'utf8')) ?? expect.fail(`${page}: ${start}`);
  return found;
}

/** Writes the settings of an operator for Kafka's scripts, as `COMMAND_CONFIG` names them. */
function adminSettings({ folder, ca }: SecuredKafka): string {
  const login = 'org.apache.kafka.common.security.scram.ScramLoginModule required';
  return writeText(
    folder,
    'admin.properties',
    [
      'security.protocol=SASL_SSL',
      `sasl.mechanism=${MECHANISM}`,
      `sasl.jaas.config=${login} username="operator" password="${PASSWORD}";`,
      'ssl.truststore.type=PEM',
      `ssl.truststore.location=${ca}`,
    ].join('\n'),
  );
}

test('the printed scripts give a secured broker its topics and each service its rights', async () => {
  const secured = await startSecuredKafka(['api']);
  const { registryUrl } = backbone();
  // The pages name the topics of the usual prefix.
  const prefix = 'touchline.';
  const settings = {
    ...secured.saslEnv(MECHANISM),
    SCHEMA_REGISTRY_URL: registryUrl,
    TOPIC_PREFIX: prefix,
  };
  const as = (user: string) => ({ ...settings, KAFKA_SASL_USERNAME: user, KAFKA_SASL_PASSWORD: PASSWORD });
  const startApi = () =>
    startService('api', { ...as('api'), DATA_DIR: temporaryFolder(), API_PORT: '0', CLIENTS_KEY });
  const BOOTSTRAP = secured.sasl[0] ?? '';
  // Of a cluster of three or more, unless these say otherwise.
  const lone = { TOPIC_REPLICATION_FACTOR: '1', TOPIC_MIN_IN_SYNC_REPLICAS: '1' };
  const scriptEnv = { ...as('operator'), ...lone, BOOTSTRAP, COMMAND_CONFIG: adminSettings(secured) };

  const page = ofPage('secure-it.md', /npx touchline topics --print > topics\.sh\n(?:.+\n){3}/);
  const folder = temporaryFolder();
  const [topics = '', acls = '', ...granting] = page.trim().split('\n');
  // The page sets the variables of a broker of an example.
  const run = granting.map((line) => line.replace(/^(?:\w+=\S+ )+/, ''));
  await shell(`${topics}\n${run[0]}`, scriptEnv, folder);
  // Registers the schemas, for which Kafka has no script.
  await runs('topics', as('operator'));
  expect(await runs('doctor', as('operator'))).not.toMatch(/failed +topics/);

  const [refused] = await startApi().failed();
  expect(refused).toMatchObject({ code: 'RIGHTS_MISSING' });
  expect(commandsIn(refused?.message ?? '')).toEqual(['acls --print']);
  // Each right is a start of Java: those of one service.
  await shell(`${acls.replace('--print', '--print --service api')}\n${run[1]}`, scriptEnv, folder);
  await startApi().ready();
  for (const command of OF_RIGHTS) await runs(command, as('operator'));

  const plain = { KAFKA_BROKERS: secured.kafka.brokers.join(',') };
  await shell(ofPage('runbooks/full-disk.md', /kafka-configs\.sh .*/), plain);
  const shortened = `${prefix}raw-messages`;
  const cluster = await describeCluster(secured.kafka.brokers, [shortened]);
  expect(cluster.topics.get(shortened)?.settings?.get('retention.ms')).toBe('604800000');
  const processor = startService('match-processor', {
    ...connectionEnv({ brokers: secured.kafka.brokers, registryUrl, prefix }),
    GROUP_INSTANCE_ID: 'a-name',
  });
  await processor.ready();
  const members = await shell(ofPage('operate.md', /kafka-consumer-groups\.sh [^`]*/), plain);
  expect(members).toContain('a-name');
});

test('the printed abort ends a transaction that nobody can decide, and the partition goes on', async () => {
  const { brokers } = await restartableKafka(UNVERIFIED);
  const counting = await CountingApplication.create({ brokers, prefix: 'printed.' });
  await leaveUndecided({
    brokers,
    transactionalId: 'an-earlier-one',
    records: [{ topic: counting.counts, partition: 1, key: 'a', value: Buffer.from('100') }],
  });
  const { log, lines } = keepingLog();
  const { metric, stream } = await counting.start({}, { log });
  await counting.send(['a', '1'], ['bb', '1']);
  const message = await until('the refusal', () =>
    lines.find((line) => line.includes('HANGING_TRANSACTION')),
  );
  const [printed = ''] = /kafka-transactions\.sh [^"\\]*--start-offset \d+/.exec(message) ?? [];
  await shell(printed.replace('<broker>', brokers[0] ?? ''), {});
  await untilTrue('both are counted', async () => (await metric('touchline_records_total')) === 2);
  expect(await counting.read(counting.counts)).toEqual({ a: '1', bb: '1' });
  await untilTrue('it is ready', () => stream.ready());
});
