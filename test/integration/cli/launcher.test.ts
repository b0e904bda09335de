import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { backboneFile } from '#service/backbone-file.ts';
import { backbone } from '../../setup/backbone.ts';
import { touchline, written } from '../../support/touchline.ts';

/** Makes the launcher believe that it runs on an older Node, so that it takes the one of the package. */
const OLD_NODE = [
  '--import',
  'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.11.0" })',
];

/** What a service needs to show its settings and to run as far as it can without a broker. */
const NO_BROKER = { KAFKA_BROKERS: '127.0.0.1:9', SCHEMA_REGISTRY_URL: 'http://127.0.0.1:9' };

describe.each([
  ['on this Node', []],
  ['from an older Node', OLD_NODE],
])('touchline %s', (_, node) => {
  it('lists commands and services', async () => {
    const run = touchline(['--help'], {}, node);
    expect(await run.ended).toBe(0);
    for (const name of [
      'tail',
      'dead-letters',
      'up',
      'demo',
      'match-processor',
      'webhook-receiver',
      'simulator',
    ]) {
      expect(run.out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    }
    expect(run.err).toBe('');
  });

  it('passes arguments, output and exit code on', async () => {
    const run = touchline(['tail', 'match-stat'], {}, node);
    expect(await run.ended).toBe(2);
    expect(run.out).toBe('');
    expect(run.err).toBe('touchline tail: there is no topic "match-stat"\nSee touchline tail --help.\n');
  });

  it('runs a service, and passes signals on', async () => {
    const run = touchline(['match-processor'], NO_BROKER, node);
    await written(run, 'metrics and health');
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(run.err).toContain('"reason":"SIGTERM"');
  });

  it('says what it runs on', async () => {
    const run = touchline(['--version'], {}, node);
    expect(await run.ended).toBe(0);
    expect(run.out).toMatch(/^touchline \d+\.\d+\.\d+, node (2[4-9]|[3-9]\d)\./);
  });
});

it('ends what it runs on another Node when it is killed itself', async () => {
  const run = touchline(['match-processor'], NO_BROKER, OLD_NODE);
  await written(run, 'metrics and health');
  run.child.kill('SIGKILL');
  // Its output ends when the last process that holds it has ended: the service, not the launcher.
  expect(await run.ended).toBe('SIGKILL');
  expect(run.err).toContain('"reason":"parent gone"');
});

it('does not know everything', async () => {
  const run = touchline(['tial']);
  expect(await run.ended).toBe(2);
  expect(run.err).toBe('touchline: there is no command or service "tial"; see touchline --help\n');
});

it('without a command shows what there is', async () => {
  const run = touchline([]);
  expect(await run.ended).toBe(2);
  expect(run.out).toBe('');
  expect(run.err).toContain('Usage: touchline');
});

it.each(['match-processor', 'webhook-receiver', 'simulator'])(
  '%s --help shows its settings, without a broker',
  async (name) => {
    const run = touchline([name, '--help']);
    expect(await run.ended).toBe(0);
    expect(run.out).toContain(`Usage: touchline ${name}`);
    expect(run.out).toContain('LOG_LEVEL');
  },
);

describe('the broker that is used', () => {
  function dataDir(): string {
    const path = mkdtempSync(join(tmpdir(), 'touchline-cli-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  it('is that of a touchline up in the same data folder, with its topic prefix', async () => {
    const { brokers, registryUrl, prefix } = backbone();
    const folder = dataDir();
    backboneFile(folder).write({ brokers, registryUrl, topicPrefix: prefix });
    const run = touchline(['tail', 'match-state', '--exit-at-end'], { DATA_DIR: folder });
    expect(await run.ended).toBe(1);
    expect(run.err).toBe(
      `touchline tail: there is no topic ${prefix}match-state at ${brokers.join(', ')}; is TOPIC_PREFIX right?\n`,
    );
  });

  it('is asked for where there is none', async () => {
    const run = touchline(['tail', 'match-state'], { DATA_DIR: dataDir() });
    expect(await run.ended).toBe(1);
    expect(run.err).toMatch(/^touchline tail: no broker: .*touchline up.*KAFKA_BROKERS.*\n$/);
  });

  it('has to be a broker', async () => {
    const run = touchline(['tail', 'match-state'], { KAFKA_BROKERS: 'here', SCHEMA_REGISTRY_URL: 'x' });
    expect(await run.ended).toBe(2);
    expect(run.err).toContain('KAFKA_BROKERS: must be host:port');
    expect(run.err).toContain('SCHEMA_REGISTRY_URL: must be an http or https address');
  });

  it('is named where it does not answer', async () => {
    const run = touchline(['tail', 'match-state', '--exit-at-end'], NO_BROKER);
    expect(await run.ended).toBe(1);
    expect(run.err).toMatch(/^touchline tail: the broker at 127\.0\.0\.1:9: .*ECONNREFUSED.*\n$/);
  });
});
