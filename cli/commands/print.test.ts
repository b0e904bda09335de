import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { touchlineHere } from '../../test/support/touchline-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'touchline-print-'));
afterAll(() => rmSync(folder, { recursive: true }));
// They only say what they were called with.
for (const tool of ['kafka-acls.sh', 'kafka-topics.sh']) {
  writeFileSync(join(folder, tool), '#!/bin/sh\necho "$(basename "$0") $*"\n');
  chmodSync(join(folder, tool), 0o755);
}

/** What the printed script calls, a line each. */
async function calls(line: string, env: Record<string, string> = {}): Promise<string[]> {
  const { code, out, err } = await touchlineHere(line.split(' '), { TOPIC_PREFIX: 'x.', ...env });
  expect([code, err]).toEqual([0, '']);
  const PATH = `${folder}:${process.env.PATH}`;
  const shell = { PATH, BOOTSTRAP: 'broker:9094', COMMAND_CONFIG: 'me.properties' };
  const { stdout } = await promisify(execFile)('sh', ['-c', out], { env: shell });
  return stdout.trimEnd().split('\n');
}

const HEAD = '--bootstrap-server broker:9094 --command-config me.properties';

test('touchline acls prints what grants a service its rights', async () => {
  const grant = `kafka-acls.sh ${HEAD} --add --allow-principal User:touchline --operation`;
  const printed = await calls('acls --print --service standings-processor --principal User:touchline');
  expect(printed).toContain(`${grant} Read --topic x.match-results`);
  expect(printed).toContain(`${grant} Write --topic x.standings-processor-positions`);
  expect(printed).toContain(`${grant} Read --group x.standings-processor`);
  const id = '--transactional-id x.standings-processor- --resource-pattern-type prefixed';
  expect(printed).toContain(`${grant} Write ${id}`);
  expect(printed.filter((line) => line.includes('x.clients'))).toEqual([]);
});

test('touchline topics prints what creates the topics, safe on three brokers', async () => {
  const create = `kafka-topics.sh ${HEAD} --create --if-not-exists --topic`;
  const usual = await calls('topics --print');
  const state = usual.find((line) => line.startsWith(`${create} x.match-state `));
  expect(state).toContain('--partitions 8 --replication-factor 3 --config cleanup.policy=compact');
  expect(state).toContain('--config min.insync.replicas=2');
  const env = { TOPIC_REPLICATION_FACTOR: '1', TOPIC_PARTITIONS: '2' };
  const [first] = await calls('topics --print --partitions 5', env);
  expect(first).toContain('--replication-factor 1');
  const few = await calls('topics --print', env);
  expect(few.find((line) => line.includes('x.match-state '))).toContain('--partitions 2 ');
});

test.each([
  [['acls'], "required option '--print' not specified"],
  [['acls', '--print', '--service', 'none'], 'Allowed choices are webhook-receiver'],
  [['acls', '--print', '--principal', "User:'; rm"], '--principal must be <type>:<name>'],
  [['topics', '--print', '--min-in-sync', '0'], 'It must be a whole number'],
  [['up', '--replicas', 'api=2'], 'It must be <service>=<n>'],
  [['up', '--replicas', 'match-processor=0'], 'It must be <service>=<n>'],
  [['up'], 'KAFKA_TLS: requires KAFKA_BROKERS', { KAFKA_TLS: 'on' }],
])('does not take %j', async (args, text, env: Record<string, string> = {}) => {
  const { code, err } = await touchlineHere(args, env);
  expect(code).toBe(2);
  expect(err).toContain(text);
});
