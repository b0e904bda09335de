import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SERVICES, serviceConfig, serviceNames } from './services.ts';

test('lists every folder that can be run, in alphabetical order', () => {
  const folders = readdirSync(SERVICES).filter((name) => existsSync(new URL(`${name}/main.ts`, SERVICES)));
  expect(serviceNames()).toEqual(folders.sort());
});

test.each(serviceNames())('%s has a setting for the port of metrics and health', async (name) => {
  expect((await serviceConfig(name)).shape).toHaveProperty('METRICS_PORT');
});

test('refuses an unknown service', async () => {
  await expect(serviceConfig('scorer')).rejects.toThrow('there is no service scorer');
});
