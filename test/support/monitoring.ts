/** Reads the files of deploy/ for Prometheus and Grafana, and the metrics of the tree, for tests. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const ROOT = new URL('../..', import.meta.url);
const DEPLOY = new URL('../../deploy/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, DEPLOY), 'utf8');
const filesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, DEPLOY)).map((file) => folder + file);

export type PrometheusRule = {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};

export type RuleFile = { readonly groups: { readonly name: string; readonly rules: PrometheusRule[] }[] };

export const ruleFiles = (): string[] =>
  filesIn('prometheus/rules/').map((file) => new URL(file, DEPLOY).pathname);
export const caseFiles = (): string[] =>
  filesIn('prometheus/tests/').map((file) => new URL(file, DEPLOY).pathname);

export const rules = (): RuleFile[] =>
  filesIn('prometheus/rules/').map((file) => parse(read(file)) as RuleFile);

export const alerts = (): PrometheusRule[] =>
  rules().flatMap(({ groups }) => groups.flatMap(({ rules: some }) => some));

type AlertCase = { readonly alertname: string; readonly exp_alerts: readonly unknown[] };

export const cases = (): AlertCase[] =>
  filesIn('prometheus/tests/')
    .map((file) => parse(read(file)) as { readonly tests: { readonly alert_rule_test: AlertCase[] }[] })
    .flatMap(({ tests }) => tests.flatMap(({ alert_rule_test }) => alert_rule_test));

type Dashboard = {
  readonly uid: string;
  readonly templating: { readonly list: { readonly name: string; readonly allValue: string }[] };
  readonly panels: {
    readonly type: string;
    readonly description?: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: { readonly expr: string; readonly datasource: { readonly uid: string } }[];
  }[];
};

export const dashboards = (): Dashboard[] =>
  filesIn('grafana/dashboards/').map((file) => JSON.parse(read(file)) as Dashboard);

/** Returns the queries of all panels. */
export const panelQueries = (): string[] =>
  dashboards().flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)));

/** Returns the services that deploy/prometheus/prometheus.yml discovers. */
export const scrapedServices = (): string[] => {
  const { scrape_configs } = parse(read('prometheus/prometheus.yml')) as {
    readonly scrape_configs: { readonly dns_sd_configs: { readonly names: string[] }[] }[];
  };
  return scrape_configs.flatMap(({ dns_sd_configs }) => dns_sd_configs.flatMap(({ names }) => names));
};

/** Words with the prefix of metrics that are none: the start of an access token, a cookie, a host of a test. */
const OTHERS: ReadonlySet<string> = new Set(['touchline_pat', 'touchline_session', 'touchline_api']);
/** Services with metrics of views, whose names begin with the service: libs/views/metrics.ts. */
const VIEW_SERVICES = ['api', 'tools'];

/** Returns the names of all metrics in the sources, without the suffixes of histograms. */
export function metricNames(): ReadonlySet<string> {
  const quoted = grep("'touchline_[a-z_]+'", 'libs/**/*.ts', 'services/**/*.ts').flatMap(
    (line) => line.match(/touchline_[a-z_]+[a-z]/) ?? [],
  );
  const views = grep('`\\$\\{prefix\\}_[a-z_]+`', 'libs/views/metrics.ts').flatMap((line) =>
    VIEW_SERVICES.map((service) => `touchline_${service}${/\}(\w+)/.exec(line)?.[1]}`),
  );
  return new Set([...quoted, ...views].filter((name) => !OTHERS.has(name)));
}

function grep(pattern: string, ...files: readonly string[]): string[] {
  const args = ['grep', '--untracked', '-hoE', pattern, '--', ...files];
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
}
