import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withTopicAdmin } from '#cluster/topic-admin.ts';
import { backbone } from '../../setup/backbone.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { workload } from '../../support/workload.ts';

const place = backbone();
const TEN_MINUTES_MS = 600_000;
const SESSION_MS = 6_000;
const STEPPED = fileURLToPath(new URL('../../support/stepped-clock.fixture.ts', import.meta.url));

/** A processor whose wall clock is set by this step while it runs stays in its group for longer than a session. */
async function expectToStay(step: number): Promise<void> {
  const prefix = `${place.prefix}${step}.`;
  const pipeline = await Pipeline.create({ ...place, prefix });
  const processor = pipeline.startProcessor({
    NODE_OPTIONS: `--import=${STEPPED}`,
    STEP_MS: String(step),
    SESSION_TIMEOUT_MS: String(SESSION_MS),
  });
  await processor.ready();
  processor.signal('SIGUSR2');
  const group = `${prefix}match-processor`;
  const until = performance.now() + 1.5 * SESSION_MS;
  while (performance.now() < until) {
    const { status } = await fetch(`http://127.0.0.1:${processor.opsPort}/health/ready`);
    expect(status, `${step}`).toBe(200);
    expect(await withTopicAdmin(place.brokers, 3_000, (admin) => admin.groupMembers(group)), `${step}`).toBe(
      1,
    );
  }
  await pipeline.feed(workload({ events: 2, perEvent: 5, seed: 1 }));
  await pipeline.settled();
  expect(processor.log).toContain('the wall clock is');
  expect(processor.lines.filter((line) => line.includes('partitions assigned'))).toHaveLength(1);
}

test('processors whose wall clocks are set back and forward by ten minutes stay in their groups', async () => {
  await Promise.all([expectToStay(-TEN_MINUTES_MS), expectToStay(TEN_MINUTES_MS)]);
});
