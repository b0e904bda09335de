import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest test files, slowest first: a slow file that starts last would run alone at the end. */
const LONGEST = [
  'system/belief/belief.test.ts',
  'system/faults/disturbed.test.ts',
  'system/faults/hostile-receivers.test.ts',
  'system/security/rights.test.ts',
  'integration/board/board.test.ts',
  'system/security/secured.test.ts',
  'system/replay/replay.test.ts',
  'system/demo/demo.test.ts',
  'integration/cli/unreadable.test.ts',
  'integration/embedded/backbone.test.ts',
  'integration/topics/topics.test.ts',
  'system/faults/receiver-outage.test.ts',
  'system/contract/contract.test.ts',
  'system/faults/poller-leadership.test.ts',
  'system/contract/fed.test.ts',
  'system/webhooks/dispatcher.test.ts',
  'system/tool-gateway/questions.test.ts',
  'system/board/withdrawal.test.ts',
  'integration/streams/quotas.test.ts',
  'system/orders/refusing.test.ts',
  'integration/streams/idle.test.ts',
  'integration/cli/alerts.test.ts',
  'integration/webhook-receiver/receiver.test.ts',
  'system/tool-gateway/limits.test.ts',
  'integration/streams/stop.test.ts',
  'integration/api/serve.test.ts',
  'integration/feed-monitor/monitor.test.ts',
  'system/fuzz/rest.test.ts',
  'system/chain/behind.test.ts',
  'integration/cli/positions.test.ts',
  'integration/webhook-receiver/flood.test.ts',
  'integration/cli/launcher.test.ts',
  'integration/streams/membership.test.ts',
  'integration/streams/kept-state.test.ts',
];

/** Sorts the slowest files first, then all others that need a broker, then unit tests, which are short. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const test = `${this.ctx.config.root}/test`;
    const ranks = new Map(
      files.map((file) => {
        const rank = LONGEST.indexOf(relative(test, file.moduleId));
        const others = file.project.name === 'unit' ? LONGEST.length + 1 : LONGEST.length;
        return [file, rank === -1 ? others : rank];
      }),
    );
    const rankOf = (file: TestSpecification) => ranks.get(file) ?? 0;
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
