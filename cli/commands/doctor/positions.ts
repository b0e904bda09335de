/** Judges for `touchline doctor` whether the logs of processors are those that their positions were written with. Pure. */
import type { Refusals } from '#cluster/refusals.ts';
import { rebuildCommand } from '#streams/runtime/positions.ts';
import { type CheckResult, failed, fine, MAKE_TOPICS } from './rules.ts';

/** A missing topic whose records are lost, and the processor whose rebuild derives them again; null when none does. */
type LostTopic = { readonly name: string; readonly deriver: string | null };

/** Judges whether the logs of a processor are those that its positions were written with. */
export function judgeRefusals(
  processor: string,
  lost: readonly LostTopic[],
  refused: Refusals['refused'],
): CheckResult[] {
  const ofLost = lost.map(({ name, deriver }) =>
    failed(
      'positions',
      `${name} is missing, and ${processor} had processed or written records of it: they are lost`,
      deriver === null
        ? 'restore the topic from a backup, or have it empty: npx touchline topics'
        : `${MAKE_TOPICS}, which creates it empty, and then ${rebuildCommand(deriver)}, which derives it again`,
    ),
  );
  // These two are findings of the lag.
  const others = refused.filter(({ error }) => !['POSITION_BEYOND_END', 'INPUT_LOST'].includes(error.code));
  const ofRefused = [...Map.groupBy(others, ({ error }) => error.code)].map(([code, of]) => {
    const partitions = of.map(({ partition }) => partition);
    // An offset is that of one partition; the start and the end are those of all.
    const command = new RegExp(`(touchline position \\S+) ${partitions[0]} (start|end)\\b`, 'g');
    const why = of[0]?.error.message.replaceAll(command, `$1 ${partitions.join(',')} $2`);
    return failed(
      'positions',
      `${processor} refuses partitions ${partitions.join(', ')} (${code}): ${why}`,
      'do what this says for each partition; docs/guides/operate.md, "Refused partitions"',
    );
  });
  const findings = [...ofLost, ...ofRefused];
  return findings.length > 0
    ? findings
    : [fine('positions', `${processor}: its logs are those of its positions`)];
}
