/** What containers of the image may do: without root, and nothing written but to volumes. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { serviceNames } from '../cli/services.ts';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

type ComposeService = {
  readonly build?: string;
  readonly command?: readonly string[];
  readonly [setting: string]: unknown;
};

const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Readonly<Record<string, ComposeService>>;
};

test.each(Object.entries(services))(
  '%s of docker-compose.yml has no right of root, and cannot get one',
  (_name, service) => {
    expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    for (const setting of ['privileged', 'cap_add']) expect(service).not.toHaveProperty(setting);
  },
);

test.each(Object.entries(services).filter(([, { build }]) => build !== undefined))(
  '%s of docker-compose.yml runs without root on a file system that it cannot write',
  (_name, service) => {
    expect(service).toMatchObject({ user: '1000:1000', read_only: true });
  },
);

test('docker-compose.yml runs every service of the tree but the simulator', () => {
  const run = Object.values(services).flatMap(({ command = [] }) => command);
  expect(run.sort()).toEqual([...serviceNames().filter((name) => name !== 'simulator'), 'topics'].sort());
});

test('ports of broker, registry, Prometheus and Grafana are open to this machine only', () => {
  for (const name of ['kafka', 'registry', 'prometheus', 'grafana'])
    expect(services[name]?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
});

describe('the image', () => {
  const lines = read('Dockerfile').split('\n');
  const last = (instruction: string) => lines.findLast((line) => line.startsWith(`${instruction} `));

  test('runs as a user by number, which is not root', () => {
    expect(last('USER')).toBe('USER 1000:1000');
  });

  test('has volumes for what is written', () => {
    expect(last('VOLUME')).toBe('VOLUME /data /tmp');
    expect(lines).toContainEqual(expect.stringContaining('DATA_DIR=/data'));
  });

  test('runs no install script of a package, and holds no package of development', () => {
    const installs = lines.filter((line) => /npm (ci|install)/.test(line));
    expect(installs).toEqual([expect.stringMatching(/^RUN npm ci --omit=dev --ignore-scripts /)]);
  });

  test('copies nothing that is not named', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY '))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied).not.toContain('.');
    expect(
      read('.dockerignore')
        .split('\n')
        .filter((line) => !line.startsWith('#'))[0],
    ).toBe('*');
  });
});
