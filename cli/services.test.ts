import { expect, test } from 'vitest';
import { serviceConfig, serviceNames } from './services.ts';

test.each(serviceNames())('%s has a setting for the port of metrics and health', async (name) => {
  expect((await serviceConfig(name)).shape).toHaveProperty('METRICS_PORT');
});
