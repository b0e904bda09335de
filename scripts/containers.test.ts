/** Tests of the rights of containers: no root, and writes to volumes only. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '#service/metrics.ts';
import { startOps } from '#service/ops.ts';
import { topicTableSettings } from '../cli/platform-settings.ts';
import { serviceConfig, serviceNames } from '../cli/services.ts';
import { Authority, writeCertificate } from '../test/support/certificates.ts';
import { composeServices } from '../test/support/compose-services.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';

const ROOT = new URL('..', import.meta.url);

const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');

const services = composeServices({});
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);

test.each(Object.entries(services))(
  '%s of docker-compose.yml has no right of root, and cannot get one',
  (_name, service) => {
    expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    for (const setting of ['privileged', 'cap_add']) expect(service).not.toHaveProperty(setting);
  },
);

test.each(ours)(
  '%s of docker-compose.yml runs without root on a file system that it cannot write',
  (_name, service) => {
    expect(service).toMatchObject({ user: '1000:1000', read_only: true });
  },
);

test('docker-compose.yml runs every service of the tree but the simulator', () => {
  const run = Object.values(services).flatMap(({ command = [] }) => command);
  expect(run.sort()).toEqual([...serviceNames().filter((name) => name !== 'simulator'), 'topics'].sort());
});

/** Settings that a guide names for another deployment: Compose has a broker of its own, and its containers have fixed addresses and folders. */
const FIXED =
  /^(KAFKA_(TLS|SASL)_?|SCHEMA_REGISTRY_|(METRICS|LISTEN)_HOST$|DATA_DIR$|DRAIN_MS$|GROUP_INSTANCE_ID$)/;

const named = new Set(
  globSync('docs/guides/**/*.md', { cwd: ROOT }).flatMap(
    (file) => read(file).match(/\b[A-Z][A-Z\d]*(_[A-Z\d]+)+\b/g) ?? [],
  ),
);

test.each(ours.map(([name]) => name))(
  '%s gets every setting that a guide names from docker-compose.yml',
  async (name) => {
    const settings = Object.keys(name === 'topics' ? topicTableSettings : (await serviceConfig(name)).shape);
    const told = settings.filter((setting) => named.has(setting) && !FIXED.test(setting));
    const given = Object.fromEntries(told.map((setting) => [setting, 'given']));
    expect(told.filter((setting) => !(setting in (composeServices(given)[name]?.environment ?? {})))).toEqual(
      [],
    );
  },
);

describe.skipIf(spawnSync('docker-compose', ['version']).status !== 0)(
  'Compose; needs docker-compose',
  () => {
    test.each([{}, { TLS_FOLDER: '/tls' }])('is read by Compose and by the tests alike: %o', (variables) => {
      const given = { WEBHOOK_SECRET: 'w'.repeat(32), CLIENTS_KEY: 'k'.repeat(32), ...variables };
      const args = ['--profile', 'monitoring', 'config', '--format', 'json'];
      const env = { PATH: process.env.PATH, ...given };
      const read = JSON.parse(execFileSync('docker-compose', args, { cwd: ROOT, env, encoding: 'utf8' }));
      const environments = (of: Readonly<Record<string, { environment?: unknown }>>) =>
        Object.fromEntries(Object.entries(of).map(([name, { environment = {} }]) => [name, environment]));
      expect(environments(read.services)).toEqual(environments(composeServices(given)));
    });
  },
);

test('ports of broker, registry, Prometheus and Grafana are open to this machine only', () => {
  for (const name of ['kafka', 'registry', 'prometheus', 'grafana'])
    expect(services[name]?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
});

describe('TLS_FOLDER', () => {
  const secured = composeServices({ TLS_FOLDER: '/tls' });

  test.each(ours.map(([name]) => name))('has %s serve over HTTPS', (name) => {
    expect(secured[name]).toMatchObject({
      volumes: expect.arrayContaining(['/tls:/etc/touchline/tls:ro']),
      environment: {
        HTTP_TLS_CERT_FILE: '/etc/touchline/tls/tls.crt',
        HTTP_TLS_KEY_FILE: '/etc/touchline/tls/tls.key',
      },
    });
    expect(services[name]).toMatchObject({ environment: { HTTP_TLS_CERT_FILE: '', HTTP_TLS_KEY_FILE: '' } });
  });

  test('makes the token exchange and Prometheus use HTTPS', () => {
    expect(secured['tool-gateway']).toMatchObject({
      environment: {
        UPSTREAM_BASE_URL: 'https://api:8081',
        UPSTREAM_CA_FILE: '/etc/touchline/tls/ca.crt',
      },
    });
    expect(services['tool-gateway']).toMatchObject({
      environment: { UPSTREAM_BASE_URL: 'http://api:8081', UPSTREAM_CA_FILE: '' },
    });
    expect(secured.prometheus).toMatchObject({
      volumes: expect.arrayContaining([
        './deploy/prometheus/prometheus-tls.yml:/etc/prometheus/prometheus.yml:ro',
      ]),
    });
    const { scrape_configs: plain, ...others } = parse(read('deploy/prometheus/prometheus.yml'));
    const tls = { scheme: 'https', tls_config: { insecure_skip_verify: true } };
    expect(parse(read('deploy/prometheus/prometheus-tls.yml'))).toEqual({
      ...others,
      scrape_configs: [{ ...plain[0], ...tls }],
    });
  });

  test.each(['http', 'https'])('has a health check that uses %s', async (scheme) => {
    const authority = await Authority.create();
    const files = writeCertificate(temporaryFolder(), 'tls', await authority.sign('a service'));
    const tls = scheme === 'https' ? files : null;
    let ready = true;
    const server = await startOps({
      port: 0,
      host: '127.0.0.1',
      tls,
      metrics: createMetrics('one'),
      ready: () => ready,
    });
    onTestFinished(() => server.close());
    const { healthcheck } = services.api as { healthcheck: { test: readonly string[] } };
    const [kind, node, ...args] = healthcheck.test;
    expect([kind, node]).toEqual(['CMD', 'node']);
    const env = { METRICS_PORT: String(server.port), HTTP_TLS_CERT_FILE: tls?.cert ?? '' };
    const exitCode = async (): Promise<unknown> => {
      const [code] = await once(spawn(process.execPath, args, { env }), 'exit');
      return code;
    };
    expect(await exitCode()).toBe(0);
    ready = false;
    expect(await exitCode()).toBe(1);
  });
});

describe('the image', () => {
  const lines = read('Dockerfile').split('\n');
  const last = (instruction: string) => lines.findLast((line) => line.startsWith(`${instruction} `));

  test('runs as a numeric user that is not root', () => {
    expect(last('USER')).toBe('USER 1000:1000');
  });

  test('has volumes for the folders that services write to', () => {
    expect(last('VOLUME')).toBe('VOLUME /data /tmp');
    expect(lines).toContainEqual(expect.stringContaining('DATA_DIR=/data'));
  });

  test('runs no install script of a package, and has no development package', () => {
    const installs = lines.filter((line) => /npm (ci|install)/.test(line));
    expect(installs).toEqual([expect.stringMatching(/^RUN npm ci --omit=dev --ignore-scripts /)]);
  });

  test('contains every file that the services import', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const left of ['**/*.test.ts', '**/*.fixture.ts', '**/testing', 'data/histories'])
      expect(ignored).toContain(left);
    const isLeft = (path: string): boolean =>
      /\.(test|fixture)\.ts$|\/testing\/|^data\/histories\//.test(path);
    const shipped = ['bin', 'cli', 'data', 'libs', 'services'].flatMap((folder) =>
      globSync(`${folder}/**/*.{ts,js}`, { cwd: new URL('..', import.meta.url).pathname }),
    );
    const imports = (file: string): string[] =>
      [...read(file).matchAll(/(?:from|import)\(? ?'([^']+)'/g)].map(([, path = '']) => path);
    const broken = shipped.filter((file) => !isLeft(file) && imports(file).some(isLeft));
    expect(broken).toEqual([]);
    expect(read('Dockerfile')).toMatch(/find node_modules -type f -regex \S+ -delete/);
    expect(read('Dockerfile')).toMatch(/rm -rf \/usr\/local\/lib\/node_modules/);
  });

  test('copies only named files', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY '))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied).not.toContain('.');
    expect(read('.dockerignore')).toMatch(/^(#.*\n)*\*\n/);
  });
});
