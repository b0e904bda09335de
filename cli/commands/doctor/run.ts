import { once } from 'node:events';
import { machineClock } from '#timing/clock.ts';
import { TopicAdminError } from '#topics/errors.ts';
import { findCluster } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { drawWhile, terminalColumns } from '../../table.ts';
import { printLine, untilStopped } from '../../terminal.ts';
import { runChecks } from './checks.ts';
import type { command } from './command.ts';
import type { CheckResult } from './finding.ts';
import { findingLines, systemLines } from './render.ts';
import { type SystemReader, systemReader } from './system.ts';

const TABLES_EVERY_MS = 2_000;
/** Readings of the tables for one run of the checks of what seldom changes, which ask the provider too. */
const CHECKS_EVERY = 15;

export async function run(...[services, options]: GivenTo<typeof command>): Promise<number> {
  const { watch, json } = options;
  let checked: readonly CheckResult[] = [];
  let reader: SystemReader | undefined;
  const findings = () => [...checked, ...(reader?.findings() ?? [])];
  /** The tables are null when no broker answers. */
  const tables = () => reader?.tables() ?? null;
  return untilStopped(async (signal) => {
    const read = () => {
      reader ??= systemReader(findCluster(process.env));
      return reader.read(signal);
    };
    const examine = async () => {
      checked = await runChecks(process.env, services, read);
    };
    /** Repeats both until the signal. Keeps the last tables with their age while the broker does not answer. */
    const repeat = async () => {
      for (let turn = 1; ; turn += 1) {
        await machineClock.sleep(TABLES_EVERY_MS, signal);
        if (signal.aborted) return;
        await (turn % CHECKS_EVERY === 0 ? examine() : read()).catch((error: unknown) => {
          if (!(error instanceof TopicAdminError)) throw error;
        });
      }
    };
    await examine();
    if (signal.aborted) return 0;
    if (watch && !json && process.stdout.isTTY) {
      await drawWhile(Promise.race([repeat(), once(signal, 'abort')]), () => [
        ...findingLines(findings(), { isShort: true }),
        ...systemLines(tables(), process.stdout.columns - 1, Date.now()),
      ]);
      return 0;
    }
    const lines = [...findingLines(findings()), ...systemLines(tables(), terminalColumns())];
    printLine(json ? JSON.stringify({ findings: findings(), tables: tables() }, null, 2) : lines.join('\n'));
    return findings().some(({ status }) => status === 'failed') ? 1 : 0;
  });
}
