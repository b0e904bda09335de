import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SERVICES, serviceNames } from './services.ts';

test('lists every folder that can be run, in alphabetical order', () => {
  const folders = readdirSync(SERVICES).filter((name) => existsSync(new URL(`${name}/main.ts`, SERVICES)));
  expect(serviceNames()).toEqual(folders.sort());
});
