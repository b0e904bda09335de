import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, the longest first: begun last, one of these would run alone at the end. */
const LONGEST = [
  'system/belief/belief.test.ts',
  'system/guides/guides.test.ts',
  'system/demo.test.ts',
  'system/monitoring/alerts.test.ts',
  'system/faults/webhooks.test.ts',
  'system/examples/readers.test.ts',
  'integration/webhook-dispatcher/dispatcher.test.ts',
  'system/chain/outage.test.ts',
  'integration/cli/alerts.test.ts',
  'system/faults/undecided.test.ts',
  'system/faults/broker-restart.test.ts',
  'system/faults/cluster.test.ts',
  'integration/board/board.test.ts',
  'integration/embedded/backbone.test.ts',
  'integration/feed-poller/leadership.test.ts',
  'integration/feed-monitor/staleness.test.ts',
  'integration/streams/stop.test.ts',
  'integration/tool-gateway/limits.test.ts',
  'integration/api/serve.test.ts',
  'integration/webhook-receiver/receiver.test.ts',
  'integration/webhook-receiver/outage.test.ts',
  'system/tool-gateway/tools.test.ts',
  'system/chain/behind.test.ts',
  'integration/tool-gateway/exchange.test.ts',
  'integration/feed-poller/faults.test.ts',
  'integration/streams/claims.test.ts',
  'system/faults/proxy.test.ts',
  'system/faults/rebalance.test.ts',
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
