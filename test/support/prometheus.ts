/** Runs the machine's Prometheus as a process of a test. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '#embedded/ports.ts';
import { atEnd } from './at-end.ts';
import { type RuleFile, rules } from './monitoring.ts';
import { untilTrue } from './poll.ts';
import type { TestService } from './processes.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;

type Target = readonly [service: string, process: TestService];

export type Series = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

/** Interval of scrapes and of rule evaluations. */
const INTERVAL = '1s';

/**
 * Starts a Prometheus that scrapes these processes, with the tree's alert rules: every `for` is shortened to a second,
 * expressions are unchanged.
 */
export async function startPrometheus(targets: readonly Target[]) {
  const folder = temporaryFolder();
  const write = (name: string, content: unknown): string => {
    const file = join(folder, name);
    writeFileSync(file, stringify(content));
    return file;
  };
  const config = write('prometheus.yml', {
    global: { scrape_interval: INTERVAL, evaluation_interval: INTERVAL },
    rule_files: rules().map((file, at) => write(`rules-${at}.yml`, impatient(file))),
    scrape_configs: [
      {
        job_name: 'touchline',
        honor_labels: true,
        static_configs: targets.map(([service, { opsPort }]) => ({
          targets: [`127.0.0.1:${opsPort}`],
          labels: { service },
        })),
      },
    ],
  });
  const address = `127.0.0.1:${await freePort()}`;
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ];
  const child = spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (text) => {
    log += text;
  });
  atEnd(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });

  /** Returns the current result of a query. Throws Prometheus's error for an invalid one. */
  async function query(expr: string): Promise<Series[]> {
    const response = await fetch(`http://${address}/api/v1/query`, {
      method: 'POST',
      body: new URLSearchParams({ query: expr }),
    });
    const answer = (await response.json()) as {
      readonly status: string;
      readonly error?: string;
      readonly data?: {
        readonly result: { readonly metric: Record<string, string>; readonly value: [number, string] }[];
      };
    };
    if (answer.status !== 'success') throw new Error(`${expr}: ${answer.error}`);
    return (answer.data?.result ?? []).map(({ metric: labels, value }) => ({
      labels,
      value: Number(value[1]),
    }));
  }

  /** Returns the labels of each firing instance of an alert, without the alert's name. */
  async function firing(alert: string): Promise<Readonly<Record<string, string>>[]> {
    const series = await query(`ALERTS{alertname="${alert}",alertstate="firing"}`);
    return series.map(({ labels: { __name__, alertname, alertstate, ...labels } }) => labels);
  }

  await untilTrue('Prometheus is ready', async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended:\n${log}`);
    return (await fetch(`http://${address}/-/ready`).catch(() => null))?.ok ?? false;
  });
  // By then alerts are evaluated, and later events count as an increase.
  const scraped = `min(sum_over_time(up[1m])) >= 5 and count(up) == ${targets.length}`;
  await untilTrue('everything was scraped several times', async () => (await query(scraped)).length > 0);
  return {
    query,
    firing,
    async fires(alert: string, labels: Readonly<Record<string, string>>): Promise<void> {
      await untilTrue(`${alert} fires with ${JSON.stringify(labels)}`, async () => {
        const all = await firing(alert);
        return all.some((one) => Object.entries(labels).every(([name, is]) => one[name] === is));
      });
    },
    /** Waits until none of these alerts fires. */
    async quiet(alerts: readonly string[]): Promise<void> {
      for (const alert of alerts)
        await untilTrue(`${alert} does not fire`, async () => (await firing(alert)).length === 0);
    },
  };
}

function impatient({ groups }: RuleFile): RuleFile {
  return {
    groups: groups.map(({ name, rules: some }) => ({
      name,
      rules: some.map((rule) => (rule.for === undefined ? rule : { ...rule, for: INTERVAL })),
    })),
  };
}
