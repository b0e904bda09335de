/** Compares the values of the Helm chart with the tree: services, settings, secrets, measured memory. Needs no helm. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { describeSettings } from '#service/config.ts';
import { serviceVersion } from '#service/version.ts';
import { serviceConfig, serviceNames } from '../cli/services.ts';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

type ChartService = {
  readonly replicas: number;
  readonly port?: { readonly number: number; readonly setting: string };
  readonly env?: Readonly<Record<string, string>>;
  readonly secretEnv?: Readonly<Record<string, string>>;
  readonly lag?: { readonly metric: string };
  readonly resources: Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;
};

const values = parse(read('deploy/helm/touchline/values.yaml')) as {
  readonly services: Readonly<Record<string, ChartService>>;
  readonly topics: { readonly partitions: number };
  readonly autoscaling: { readonly maxReplicas: number };
};
const services = Object.entries(values.services);
/** Settings that the templates give to every service. */
const COMMON_SETTINGS = ['KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL', 'TOPIC_PREFIX', 'METRICS_PORT'];
/** Settings of connections, which the operator gives to all services together. */
const CONNECTION_SETTINGS = /^(KAFKA|SCHEMA_REGISTRY|OTEL)_/;
/** Settings of the C library. */
const RUNTIME_SETTINGS = ['MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_'];

const UNITS: Readonly<Record<string, number>> = { Mi: 1, Gi: 1024 };
const mebibytes = (text = ''): number => Number.parseInt(text, 10) * (UNITS[text.slice(-2)] ?? Number.NaN);

test('every service of the tree but the simulator is deployed', () => {
  expect(Object.keys(values.services).sort()).toEqual(serviceNames().filter((name) => name !== 'simulator'));
});

test('has the version of the tree', () => {
  const version = serviceVersion();
  expect(parse(read('deploy/helm/touchline/Chart.yaml'))).toMatchObject({ version, appVersion: version });
});

describe.each(services)('%s', (name, { port, env = {}, secretEnv = {}, lag, resources }) => {
  test('has every required setting, and no unknown one', async () => {
    const settings = describeSettings(await serviceConfig(name));
    const given = [
      ...COMMON_SETTINGS,
      ...Object.keys(env),
      ...Object.keys(secretEnv),
      ...(port ? [port.setting] : []),
    ];
    const required = settings.filter(({ fallback }) => fallback === null).map((setting) => setting.name);
    expect(required.filter((setting) => !given.includes(setting))).toEqual([]);
    const known = [...settings.map((setting) => setting.name), ...RUNTIME_SETTINGS];
    expect(given.filter((setting) => !known.includes(setting))).toEqual([]);
  });

  test('reads its secrets from the Secret', async () => {
    const settings = describeSettings(await serviceConfig(name));
    const secrets = settings.filter(({ secret }) => secret).map((setting) => setting.name);
    expect(secrets.filter((setting) => setting in env)).toEqual([]);
    const own = secrets.filter((setting) => !CONNECTION_SETTINGS.test(setting));
    expect(own.filter((setting) => !(setting in secretEnv))).toEqual([]);
  });

  test('limits memory above the measured maximum, and requests the idle memory', () => {
    const measured = new RegExp(`^\\| ${name} \\| (\\d+) \\| (\\d+) \\|$`, 'm');
    const [, idle, most] = measured.exec(read('docs/reference/performance.md')) ?? [];
    expect(mebibytes(resources.requests.memory)).toBeGreaterThanOrEqual(Number(idle));
    expect(mebibytes(resources.limits.memory)).toBeGreaterThan(1.2 * Number(most));
    expect(resources.limits).not.toHaveProperty('cpu');
  });

  test('is scaled by an existing metric', () => {
    if (lag !== undefined) expect(read('docs/reference/metrics.md')).toContain(`\`${lag.metric}\``);
  });
});

test('has no more replicas than partitions', () => {
  expect(values.autoscaling.maxReplicas).toBe(values.topics.partitions);
});
