import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SERVICES, serviceConfig, serviceNames } from './services.ts';

test('the list of services has every folder that can be run, in their order', () => {
  const folders = readdirSync(SERVICES).filter((name) => existsSync(new URL(`${name}/main.ts`, SERVICES)));
  expect(serviceNames()).toEqual(folders.sort());
});

test.each(serviceNames())('%s has a port of its own for metrics and health', async (name) => {
  expect((await serviceConfig(name)).shape).toHaveProperty('METRICS_PORT');
});

test('a service that there is not has no settings', async () => {
  await expect(serviceConfig('scorer')).rejects.toThrow('there is no service scorer');
});
