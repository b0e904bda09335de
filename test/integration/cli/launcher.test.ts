import { describe, expect, test } from 'vitest';
import { backboneFile } from '../../../cli/backbone-file.ts';
import { backbone } from '../../setup/backbone.ts';
import { LAUNCHER } from '../../support/bundled.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchline, written } from '../../support/touchline.ts';
import { touchlineHere } from '../../support/touchline-here.ts';

/** Makes the launcher see an older Node, so that it starts the one of the package. */
const OLD_NODE = [
  '--import',
  'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.11.0" })',
];

/** Settings with which a service runs without a broker, as far as it can. */
const NO_BROKER = { KAFKA_BROKERS: '127.0.0.1:9', SCHEMA_REGISTRY_URL: 'http://127.0.0.1:9' };

const launch = (args: readonly string[], env = {}, node: readonly string[] = []) =>
  touchline(args, env, node, undefined, LAUNCHER);

describe.each([
  ['on this Node', []],
  ['from an older Node', OLD_NODE],
])('touchline %s', (_, node) => {
  test('passes on arguments, output and exit code, and escapes characters that change the reading order', async () => {
    const run = launch(['tail', 'match-\u202estat'], {}, node);
    expect(await run.ended).toBe(2);
    expect(run.out).toBe('');
    expect(run.err).toMatch(
      /^touchline tail: .*'match-\\u202estat' is invalid.* match-state, .*\nSee touchline tail --help\.\n$/,
    );
  });

  test('runs a service, and passes signals on', async () => {
    const run = launch(['match-processor'], NO_BROKER, node);
    await written(run, 'metrics and health');
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(run.err).toContain('"reason":"SIGTERM"');
  });

  test('prints its version and that of Node', async () => {
    const run = launch(['--version'], {}, node);
    expect(await run.ended).toBe(0);
    expect(run.out).toMatch(/^touchline \d+\.\d+\.\d+, node (2[4-9]|[3-9]\d)\./);
  });
});

test('stops the service on another Node when the launcher is killed', async () => {
  const run = launch(['match-processor'], NO_BROKER, OLD_NODE);
  await written(run, 'metrics and health');
  run.child.kill('SIGKILL');
  // The output ends when the service ends, which holds it longer than the launcher.
  expect(await run.ended).toBe('SIGKILL');
  expect(run.err).toContain('"reason":"parent gone"');
});

test('lists commands and services, by help and without a command, and prints its version', async () => {
  const help = await touchlineHere(['--help']);
  expect(help).toMatchObject({ code: 0, err: '' });
  for (const name of ['tail', 'dead-letters', 'up', 'demo', 'match-processor', 'simulator'])
    expect(help.out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  expect(await touchlineHere([])).toEqual({ code: 2, out: '', err: help.out });
  expect(await touchlineHere(['help'])).toEqual(help);
  expect((await touchlineHere(['help', 'tail'])).out).toContain('Usage: touchline tail');
  expect((await touchlineHere(['version'])).out).toMatch(/^touchline \d/);
});

test('refuses an unknown command, and suggests one', async () => {
  expect(await touchlineHere(['tial'])).toMatchObject({
    code: 2,
    err: "touchline: unknown command 'tial'; did you mean tail?\nSee touchline --help.\n",
  });
});

describe('an answer without a broker', () => {
  /** Prints the CPU time of the process at its end, milliseconds. The wall clock would depend on other processes. */
  const CPU =
    'data:text/javascript,process.on("exit",()=>{const {user,system}=process.cpuUsage();console.error("cpu",(user+system)/1000)})';

  test.each([[['--help']], [['tial']]])('of %j costs less than 300 ms', async (args) => {
    const costs: number[] = [];
    // The first run fills the cache of compiled code.
    for (let round = 0; round < 3; round++) {
      const run = launch(args, {}, ['--import', CPU]);
      await run.ended;
      costs.push(Number(/cpu (\S+)/.exec(run.err)?.[1]));
    }
    expect(Math.min(...costs)).toBeLessThan(300);
  });
});

describe('the broker that is used', () => {
  test('is that of a touchline up in the same data folder, with its topic prefix', async () => {
    const { brokers, registryUrl, prefix } = backbone();
    const folder = temporaryFolder();
    backboneFile(folder).write({ brokers, registryUrl, topicPrefix: prefix });
    const run = await touchlineHere(['tail', 'match-state', '--exit-at-end'], { DATA_DIR: folder });
    expect(run.code).toBe(1);
    expect(run.err).toBe(
      `touchline tail: there is no topic ${prefix}match-state at ${brokers.join(', ')}; is TOPIC_PREFIX right?\n`,
    );
  });

  test('must be known: the error names its settings', async () => {
    const run = await touchlineHere(['tail', 'match-state'], { DATA_DIR: temporaryFolder() });
    expect(run.code).toBe(1);
    expect(run.err).toMatch(/^touchline tail: no broker: .*touchline up.*KAFKA_BROKERS.*\n$/);
  });

  test('is named when it does not answer', async () => {
    const run = await touchlineHere(['tail', 'match-state', '--exit-at-end'], NO_BROKER);
    expect(run.code).toBe(1);
    expect(run.err).toMatch(/^touchline tail: the broker at 127\.0\.0\.1:9: .+\n$/);
  });
});
