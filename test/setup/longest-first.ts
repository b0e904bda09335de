import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, the longest first: begun last, one of these would run alone at the end. */
const LONGEST = [
  'system/belief/belief.test.ts',
  'system/runbooks.release.test.ts',
  'system/monitoring/alerts.release.test.ts',
  'system/monitoring/around.release.test.ts',
  'system/monitoring/late.release.test.ts',
  'system/guides/guides.release.test.ts',
  'system/demo.test.ts',
  'system/chain/outage.release.test.ts',
  'system/belief/evening.release.test.ts',
  'system/faults/disturbed.test.ts',
  'system/faults/cluster.release.test.ts',
  'system/contract/types.release.test.ts',
  'system/examples/readers.release.test.ts',
  'integration/api/feed-of-a-day.release.test.ts',
  'system/webhooks/dispatcher.test.ts',
  'system/security/rights.test.ts',
  'integration/board/board.test.ts',
  'system/faults/receiver-outage.test.ts',
  'system/tool-gateway/limits.test.ts',
  'system/board/withdrawal.test.ts',
  'integration/streams/kept-state.test.ts',
  'system/contract/fed.test.ts',
  'system/chain/chain.test.ts',
  'system/rollout/rolling-restart.release.test.ts',
  'system/faults/poller-leadership.test.ts',
  'integration/embedded/backbone.test.ts',
  'system/faults/hostile-receivers.test.ts',
  'system/replay/replay.test.ts',
  'integration/streams/stop.test.ts',
  'system/contract/contract.test.ts',
  'system/security/secured.test.ts',
  'system/faults/undecided.release.test.ts',
  'system/faults/unclean-election.release.test.ts',
  'integration/api/serve.test.ts',
  'integration/webhook-receiver/receiver.test.ts',
  'integration/topics/topics.test.ts',
  'integration/streams/membership.test.ts',
];

/** The files that take longest, then all others that need a broker, then unit tests, which are short. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const test = `${this.ctx.config.root}/test`;
    const places = new Map(
      files.map((file) => {
        const place = LONGEST.indexOf(relative(test, file.moduleId));
        const others = file.project.name === 'unit' ? LONGEST.length + 1 : LONGEST.length;
        return [file, place === -1 ? others : place];
      }),
    );
    const placeOf = (file: TestSpecification) => places.get(file) ?? 0;
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b));
  }
}
