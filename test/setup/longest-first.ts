import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Projects in their order; those that are not named, such as unit tests, which are short, are last. */
const PROJECTS = ['backbone', 'integration', 'simulation'];

/**
 * The slowest files of each project, slowest first: a slow file that starts last would run alone at the end. Files that mostly wait
 * (unreadable, backbone, quotas, idle) start one at a time, so that the cores are busy meanwhile.
 */
const LONGEST = [
  'system/belief/belief.test.ts',
  'system/security/secured.test.ts',
  'system/faults/disturbed.test.ts',
  'system/faults/hostile-receivers.test.ts',
  'system/board/withdrawal.test.ts',
  'system/faults/receiver-outage.test.ts',
  'system/demo/demo.test.ts',
  'system/faults/poller-leadership.test.ts',
  'system/replay/replay.test.ts',
  'system/webhooks/dispatcher.test.ts',
  'system/faults/standings.test.ts',
  'system/chain/behind.test.ts',
  'integration/cli/unreadable.test.ts',
  'integration/board/board.test.ts',
  'integration/board/layout.test.ts',
  'integration/topics/topics.test.ts',
  'integration/webhook-receiver/receiver.test.ts',
  'integration/streams/quotas.test.ts',
  'integration/api/serve.test.ts',
  'integration/streams/follow.test.ts',
  'integration/streams/idle.test.ts',
  '../services/api/contract-rows.test.ts',
];

/**
 * Sorts files by project, the slowest of each first. A worker runs files of one project only: with the projects mixed, every second
 * file starts a worker, which loads all modules, and may start a browser and a broker.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const test = `${this.ctx.config.root}/test`;
    const ranks = new Map(
      files.map((file) => {
        const project = rankIn(PROJECTS, file.project.name);
        return [file, project * (LONGEST.length + 1) + rankIn(LONGEST, relative(test, file.moduleId))];
      }),
    );
    const rankOf = (file: TestSpecification) => ranks.get(file) ?? 0;
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankIn(names: readonly string[], name: string): number {
  const index = names.indexOf(name);
  return index === -1 ? names.length : index;
}
