import { expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';

// What else becomes of members with a name: test/support/conformance.ts.
test('of two processors with one name the first ends, and names the setting', async () => {
  const pipeline = await Pipeline.create(backbone());
  // Longer than a test waits: nothing here is due to the end of a session.
  const settings = { GROUP_INSTANCE_ID: 'same', SESSION_TIMEOUT_MS: '300000' };
  const first = pipeline.startProcessor(settings);
  await first.ready();
  const second = pipeline.startProcessor(settings);
  await untilTrue('the first ends', () => first.exited);
  expect(await first.stop()).toBe(1);
  expect(first.log).toContain('FENCED_INSTANCE_ID');
  expect(first.log).toContain('each needs a GROUP_INSTANCE_ID of its own');
  await second.ready();
});
