/**
 * Compares alert rules and dashboards with the tree. Some tests need promtool, which is in Debian's package
 * prometheus.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { serviceNames } from '../cli/services.ts';
import { composeServices } from '../test/support/compose-services.ts';
import {
  alerts,
  caseFiles,
  cases,
  dashboards,
  metricNames,
  panelQueries,
  type RuleFile,
  ruleFiles,
  scrapedServices,
} from '../test/support/monitoring.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { anchorsOf } from './pages.ts';

const ROOT = new URL('../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const names = metricNames();
const allCases = cases();

function unknownMetrics(expr: string): string[] {
  const used = expr.match(/touchline_[a-z_]+/g) ?? [];
  return used.filter((name) => !names.has(name) && !names.has(name.replace(/_(bucket|sum|count)$/, '')));
}

function promtool(...args: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describe.each(alerts().map((rule) => [rule.alert, rule] as const))('%s', (name, rule) => {
  test('has a severity, a meaning and a runbook', () => {
    expect(rule.labels).toEqual({ severity: expect.stringMatching(/^(critical|warning)$/) });
    expect(rule.annotations).toEqual({
      summary: expect.any(String),
      description: expect.stringMatching(/\.$/),
      runbook: expect.stringMatching(/^docs\//),
    });
    const [page = '', anchor] = (rule.annotations.runbook ?? '').split('#');
    expect(existsSync(new URL(page, ROOT)), page).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(read(page))).toContain(anchor);
  });

  test('uses only metrics of the tree', () => {
    expect(unknownMetrics(rule.expr)).toEqual([]);
  });

  test('has a test case in which it fires, and one in which it does not', () => {
    const own = allCases.filter(({ alertname }) => alertname === name);
    expect(own.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true);
    expect(own.some(({ exp_alerts }) => exp_alerts.length === 0)).toBe(true);
  });

  test('is in the table of docs/guides/monitor.md', () => {
    expect(read('docs/guides/monitor.md')).toContain(`| \`${name}\` | ${rule.labels.severity} |`);
  });
});

test('the command of monitor.md turns every runbook into a link', () => {
  const guide = read('docs/guides/monitor.md');
  const [, script = '', file = ''] = /^sed -i '(.*)' (.*)$/m.exec(guide) ?? [];
  const { stdout } = spawnSync('sed', [script, new URL(file, ROOT).pathname], { encoding: 'utf8' });
  const { groups } = parse(stdout) as RuleFile;
  expect(groups.flatMap(({ rules }) => rules.map(({ annotations }) => annotations.runbook_url))).toEqual(
    alerts().map(({ annotations: { runbook = '' } }) =>
      runbook.replace('docs/', 'https://git.example/touchline/blob/main/docs/'),
    ),
  );
});

describe.skipIf(!hasPromtool)('rules (needs promtool)', () => {
  test('are valid for Prometheus', () => {
    expect(promtool('check', 'rules', ...ruleFiles())).toMatchObject({ status: 0 });
    const config = new URL('deploy/prometheus/prometheus.yml', ROOT).pathname;
    expect(promtool('check', 'config', '--syntax-only', config)).toMatchObject({ status: 0 });
  });

  test.each(caseFiles())('fire and do not fire as %s has it', (file) => {
    const { status, output } = promtool('test', 'rules', file);
    expect(status, output).toBe(0);
  });
});

test.skipIf(!hasPromtool)(
  'a panel of events shows the first one of a series, and none an hour later (needs promtool)',
  () => {
    const counted = panelQueries().flatMap((expr) => {
      const query = expr.replaceAll('$namespace', '.*').replaceAll('$instance', '.*');
      return [...expr.matchAll(/increase\((touchline_\w+)/g)].map(([, series]) => ({
        interval: '15s',
        input_series: [{ series, values: '_x20 1x600' }],
        promql_expr_test: [
          { expr: `sum(${query})`, eval_time: '6m', exp_samples: [{ labels: '{}', value: 1 }] },
          { expr: `sum(${query}) > 0`, eval_time: '2h', exp_samples: [] },
        ],
      }));
    });
    expect(counted).toHaveLength(6);
    const file = join(temporaryFolder(), 'panels.yml');
    writeFileSync(file, stringify({ tests: counted }));
    const { status, output } = promtool('test', 'rules', file);
    expect(status, output).toBe(0);
  },
);

describe.each(dashboards().map((dashboard) => [dashboard.uid, dashboard] as const))(
  '%s',
  (_uid, { panels, templating }) => {
    test('filters by namespace and instance', () => {
      expect(templating.list).toMatchObject(
        ['namespace', 'instance'].map((name) => ({ name, allValue: '.*', includeAll: true })),
      );
      // Rules add replicas up: an alert has no instance.
      const exprs = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
      const selected =
        /(touchline|process|nodejs)_[a-z_]+(?!\{namespace=~"\$namespace",instance=~"\$instance"|[a-z_])/;
      expect(
        exprs.filter((expr) => selected.test(expr.replaceAll(/\b(?:sum|min|max) by \([^)]*\)/g, ''))),
      ).toEqual([]);
    });

    test('shows only metrics of the tree, from the one data source', () => {
      const targets = panels.flatMap(({ targets: some = [] }) => some);
      expect(targets.flatMap(({ expr }) => unknownMetrics(expr))).toEqual([]);
      const { datasources } = parse(read('deploy/grafana/provisioning/datasources/prometheus.yml')) as {
        readonly datasources: { readonly uid: string }[];
      };
      expect(new Set(targets.map(({ datasource }) => datasource.uid))).toEqual(
        new Set(datasources.map(({ uid }) => uid)),
      );
    });

    test('explains every panel, and places no two panels over each other', () => {
      const shown = panels.filter(({ type }) => type !== 'row');
      expect(shown.filter(({ description = '' }) => description === '')).toEqual([]);
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
      );
      expect(new Set(cells).size).toBe(cells.length);
      expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
    });
  },
);

test('shows every stage, and every metric of an alert except those of processes, on a dashboard', () => {
  const shown = panelQueries().join('\n');
  const watched = new Set(alerts().flatMap(({ expr }) => expr.match(/touchline_[a-z_]+/g) ?? []));
  const elsewhere = ['touchline_poller_leader', 'touchline_monitor_leader'];
  const lost = [...watched].filter((name) => name.includes('_lost_'));
  expect([...watched].filter((name) => !shown.includes(name)).sort()).toEqual([...elsewhere, ...lost].sort());
});

test('Prometheus of docker-compose.yml scrapes every service of that file', () => {
  expect(scrapedServices().sort()).toEqual(
    serviceNames()
      .filter((name) => name !== 'simulator')
      .sort(),
  );
  for (const variables of [{}, { TLS_FOLDER: '/tls' }]) {
    const services = composeServices(variables);
    for (const name of ['prometheus', 'grafana']) {
      expect(services[name]?.profiles).toEqual(['monitoring']);
      const mounted = (services[name]?.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
      const missing = mounted.filter((path) => path.startsWith('./') && !existsSync(new URL(path, ROOT)));
      expect(missing).toEqual([]);
    }
  }
});
