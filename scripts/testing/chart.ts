/** Renders the Helm chart, for its tests. */
import { execFileSync, spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';
import type { PrometheusRule, RuleFile } from '../../test/support/monitoring.ts';

export const CHART = new URL('../../deploy/helm/touchline', import.meta.url).pathname;
export const NEEDED = [
  'kafka.brokers=one:9092\\,two:9093',
  'registry.url=https://registry.example/apis/ccompat/v7',
];

export const runs = (command: string, flag: string): boolean => spawnSync(command, [flag]).status === 0;
export const hasHelm = runs('helm', 'version');

type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  // Untyped: the tests check its shape.
  readonly spec: never;
};

export const setArgs = (settings: readonly string[]): string[] =>
  settings.flatMap((setting) => ['--set', setting]);

export function template(...settings: readonly string[]): string {
  const release = ['live', CHART, '--kube-version', '1.37.0', '--namespace', 'sport'];
  const args = ['template', ...release, ...setArgs(settings)];
  return execFileSync('helm', args, { encoding: 'utf8', stdio: 'pipe' });
}

export const manifests = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);

export function byComponent(of: readonly Manifest[], kind: string): Map<string, Manifest['spec']> {
  const found = of.filter((manifest) => manifest.kind === kind);
  return new Map(
    found.map(({ metadata, spec }) => [metadata.labels['app.kubernetes.io/component'] ?? '', spec]),
  );
}

/** Values that turn all features on. */
export const ALL = [
  ...NEEDED,
  'autoscaling.enabled=true',
  'autoscaling.prometheusUrl=http://prometheus:9090',
  'networkPolicy.clients[0].namespaceSelector.matchLabels.a=b',
  'networkPolicy.monitoring[0].namespaceSelector.matchLabels.a=c',
  'networkPolicy.backbone[0].ipBlock.cidr=10.1.0.0/16',
  'files.ca=kafka-ca',
  'rules.competitions=cups',
  'rules.alerts=desk',
  'services.feed-monitor.env.STALE_AFTER_MS=30000',
  'secretEnv.KAFKA_PASSWORD=kafka-password',
  'imagePullSecrets[0].name=pull',
  'topics.replicationFactor=3',
  'tls.secretName=touchline-tls',
  'monitoring.podMonitor.enabled=true',
  'monitoring.podMonitor.labels.release=prometheus',
  'monitoring.prometheusRule.enabled=true',
  'monitoring.prometheusRule.runbookBaseUrl=https://wiki.example/touchline/',
  'env.KAFKA_SASL_TOKEN_URL=https://id.example/token',
  'env.OTEL_EXPORTER_OTLP_ENDPOINT=http://10.2.3.4:4318',
  'services.feed-poller.env.OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4319',
  'networkPolicy.extraEgress[0].ports[0].port=3128',
  'nodeSelector.disk=ssd',
  'tolerations[0].operator=Exists',
  'priorityClassName=standard',
  'services.api.priorityClassName=high',
  'services.api.podAnnotations.owner=scores',
  'podAnnotations.team=sport',
];

export function rulesOf(all: readonly Manifest[]): PrometheusRule[] {
  return all
    .filter(({ kind }) => kind === 'PrometheusRule')
    .flatMap(({ spec }) => (spec as unknown as RuleFile).groups.flatMap(({ rules }) => rules));
}
