import { expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';

// Other behaviour of members with an instance id: test/support/conformance.ts.
test('ends the first of two processors with the same instance id, and names the setting', async () => {
  const pipeline = await Pipeline.create({ ...backbone(), services: ['match-processor'] });
  // Longer than the test, so that no session expires.
  const settings = { GROUP_INSTANCE_ID: 'same', SESSION_TIMEOUT_MS: '300000' };
  const first = pipeline.startProcessor(settings);
  await first.ready();
  const second = pipeline.startProcessor(settings);
  await untilTrue('the first ends', () => first.exited);
  expect(await first.stop()).toBe(1);
  expect(first.log).toContain('FENCED_INSTANCE_ID');
  expect(first.log).toContain('each process needs a unique GROUP_INSTANCE_ID');
  await second.ready();
});
