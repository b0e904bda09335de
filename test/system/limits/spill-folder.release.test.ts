/** A match processor that spills matches to a folder without room, or a read-only one: it waits, and loses nothing. */
import { expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { mountDisk, remountDisk } from '../../support/disk.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { seasonMessages } from '../../support/standings/made-up-season.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MIB = 1024 * 1024;
/** So many that the spilled matches exceed what a processor keeps of them in memory. */
const TEAMS = 60;

test.for([
  ['has no room', 'size=65536', `size=${64 * MIB}`],
  ['is read-only', 'ro', 'rw'],
] as const)(
  'a folder for spilled matches that %s stops the partition until it is mended (needs the right to mount)',
  async ([, harm, heal], { skip }) => {
    const folder = temporaryFolder();
    if (!mountDisk(folder, 64 * MIB)) return skip();
    remountDisk(folder, harm);
    const pipeline = await Pipeline.create({ ...backbone(), partitions: 1, services: ['match-processor'] });
    const processor = pipeline.startProcessor({ TMPDIR: folder, MAX_LOADED_MATCHES: '1' });
    const levels = { competition: 1, season: 1, stage: 1, group: null };
    const messages = seasonMessages(levels, TEAMS, 1_000, 1);
    const fed = pipeline.feed(messages);
    const line = await until('the processor says what is wrong', () =>
      processor.lines.find((one) => one.includes('FOLDER_UNUSABLE')),
    );
    expect(line).toContain('set TMPDIR to a folder');
    await fed;
    await untilTrue(
      'it has tried again',
      () => processor.lines.filter((one) => one.includes('claim')).length > 1,
    );
    remountDisk(folder, heal);
    await pipeline.settled();
    const { states, transitions } = await pipeline.output();
    expect(states.size).toBe(new Set(messages.map(({ event_id }) => event_id)).size);
    const changes = transitions.map(({ event_id, version, n }) => `${event_id}/${version}/${n}`);
    expect(changes.length).toBe(new Set(changes).size);
    expect(await processor.metric('touchline_task_failures_total', 'code="FOLDER_UNUSABLE"')).toBeGreaterThan(
      0,
    );
    expect(await pipeline.count('dead-letters')).toBe(0);
  },
);
