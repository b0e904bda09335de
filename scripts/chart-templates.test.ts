/** Tests the rendered Helm chart. Needs helm, and kubeconform for the Kubernetes schemas (docs/guides/kubernetes.md). */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { serviceVersion } from '#service/version.ts';
import { serviceNames } from '../cli/services.ts';
import { alerts, type PrometheusRule, type RuleFile } from '../test/support/monitoring.ts';

const CHART = new URL('../deploy/helm/touchline', import.meta.url).pathname;
const NEEDED = ['kafka.brokers=one:9092\\,two:9093', 'registry.url=https://registry.example/apis/ccompat/v7'];

const runs = (command: string, flag: string): boolean => spawnSync(command, [flag]).status === 0;
const hasHelm = runs('helm', 'version');

type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  // Untyped: the tests check its shape.
  readonly spec: never;
};

const setArgs = (settings: readonly string[]): string[] => settings.flatMap((setting) => ['--set', setting]);

function template(...settings: readonly string[]): string {
  const release = ['live', CHART, '--kube-version', '1.37.0', '--namespace', 'sport'];
  const args = ['template', ...release, ...setArgs(settings)];
  return execFileSync('helm', args, { encoding: 'utf8', stdio: 'pipe' });
}

const manifests = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);

function byComponent(of: readonly Manifest[], kind: string): Map<string, Manifest['spec']> {
  const found = of.filter((manifest) => manifest.kind === kind);
  return new Map(
    found.map(({ metadata, spec }) => [metadata.labels['app.kubernetes.io/component'] ?? '', spec]),
  );
}

/** Returns the text of a service's Deployment. */
function deploymentOf(of: readonly Manifest[], name: string): string {
  return JSON.stringify(byComponent(of, 'Deployment').get(name));
}

/** Values that turn all features on. */
const ALL = [
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

function rulesOf(all: readonly Manifest[]): PrometheusRule[] {
  return all
    .filter(({ kind }) => kind === 'PrometheusRule')
    .flatMap(({ spec }) => (spec as unknown as RuleFile).groups.flatMap(({ rules }) => rules));
}

const SCHEMAS = process.env.KUBERNETES_SCHEMAS ?? '';
const hasKubeconform = hasHelm && runs('kubeconform', '-v') && existsSync(`${SCHEMAS}/_definitions.json`);

const SERVICES = serviceNames().filter((name) => name !== 'simulator');
const WITH_PORT = ['api', 'tool-gateway', 'webhook-dispatcher', 'webhook-receiver'];

describe.skipIf(!hasHelm)('the chart (needs helm)', () => {
  const rendered = hasHelm ? manifests(template(...ALL)) : [];
  const plain = hasHelm ? manifests(template(...NEEDED)) : [];
  const ofKind = (kind: string) => rendered.find((manifest) => manifest.kind === kind);

  test.each(SERVICES)('%s has a Deployment with probes, limits and no rights', (name) => {
    expect(byComponent(plain, 'Deployment').get(name)).toMatchObject({
      replicas: 2,
      template: {
        spec: {
          automountServiceAccountToken: false,
          serviceAccountName: 'live-touchline',
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 1000,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              args: [name],
              image: `touchline:${serviceVersion()}`,
              livenessProbe: { httpGet: { path: '/health/live', port: 'metrics' } },
              readinessProbe: { httpGet: { path: '/health/ready', port: 'metrics' } },
              startupProbe: { httpGet: { path: '/health/live', port: 'metrics' } },
              resources: {
                requests: { memory: expect.any(String) },
                limits: { memory: expect.any(String) },
              },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [{ mountPath: '/data' }, { mountPath: '/tmp' }],
            },
          ],
        },
      },
    });
    expect(byComponent(plain, 'PodDisruptionBudget').get(name)).toMatchObject({ maxUnavailable: 1 });
  });

  test('references secrets, and takes settings from values', () => {
    const { template: pod } = byComponent(rendered, 'Deployment').get('api') as never as {
      template: { spec: { containers: [{ env: unknown[]; volumeMounts: unknown[] }] } };
    };
    const [{ env, volumeMounts }] = pod.spec.containers;
    const secret = (name: string, ref: object) => ({
      name,
      valueFrom: { secretKeyRef: { name: 'touchline', ...ref } },
    });
    expect(env).toEqual(
      expect.arrayContaining([
        { name: 'KAFKA_BROKERS', value: 'one:9092,two:9093' },
        { name: 'API_PORT', value: '8081' },
        { name: 'METRICS_PORT', value: '9464' },
        secret('CLIENTS_KEY', { key: 'clients-key' }),
        secret('CLIENTS_KEY_SECOND', { key: 'clients-key-second', optional: true }),
        secret('KAFKA_PASSWORD', { key: 'kafka-password' }),
      ]),
    );
    expect(volumeMounts).toContainEqual({ name: 'file-ca', mountPath: '/etc/touchline/ca', readOnly: true });
    expect(rendered.map(({ kind }) => kind)).not.toContain('Secret');
  });

  test.each([
    ['standings-processor', 'RULES_DIR', '/etc/touchline/rules', 'cups'],
    ['alert-processor', 'ALERT_RULES_FILE', '/etc/touchline/alerts/alert-rules.json', 'desk'],
  ])('gives %s the rules of a ConfigMap', (service, name, value, configMap) => {
    const text = deploymentOf(rendered, service);
    expect(text).toContain(JSON.stringify({ name, value }));
    expect(text).toContain(`"configMap":{"name":"${configMap}"}`);
    expect(deploymentOf(plain, service)).not.toContain(name);
  });

  test.each([
    ['feed-monitor', rendered, 'STALE_AFTER_MS', '30000'],
    ['tool-gateway', plain, 'UPSTREAM_BASE_URL', 'http://live-api:8081'],
    ['tool-gateway', rendered, 'UPSTREAM_BASE_URL', 'https://live-api:8081'],
    ['tool-gateway', rendered, 'UPSTREAM_CA_FILE', '/etc/touchline/tls/ca.crt'],
  ])('gives %s what its values and the release have', (service, of, name, value) => {
    expect(deploymentOf(of, service)).toContain(JSON.stringify({ name, value }));
  });

  test('switches every server to HTTPS by one value', () => {
    for (const [scheme, of] of Object.entries({ HTTP: plain, HTTPS: rendered })) {
      for (const [name, deployment] of byComponent(of, 'Deployment')) {
        const httpGet = { scheme };
        expect(deployment, name).toMatchObject({
          template: {
            metadata: { annotations: { 'prometheus.io/scheme': scheme.toLowerCase() } },
            spec: {
              containers: [
                { livenessProbe: { httpGet }, readinessProbe: { httpGet }, startupProbe: { httpGet } },
              ],
            },
          },
        });
        const text = JSON.stringify(deployment);
        expect(text.includes('/etc/touchline/tls/tls.crt')).toBe(scheme === 'HTTPS');
        expect(text.includes('"secretName":"touchline-tls"')).toBe(scheme === 'HTTPS');
      }
      for (const [name, service] of byComponent(of, 'Service'))
        expect(service, name).toMatchObject({ ports: [{ appProtocol: scheme.toLowerCase() }] });
    }
    expect(deploymentOf(rendered, 'api')).not.toContain('UPSTREAM');
  });

  test('creates the topics by a job before any service starts', () => {
    expect(ofKind('Job')).toMatchObject({
      metadata: { annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } },
      spec: {
        template: {
          spec: { containers: [{ args: ['topics', '--partitions=8', '--replication-factor=3'] }] },
        },
      },
    });
    const without = manifests(template(...NEEDED, 'topics.job=false'));
    expect(without.map(({ kind }) => kind)).not.toContain('Job');
  });

  test('allows a pod to reach broker, registry and DNS, and opens only its serving ports', () => {
    const policies = byComponent(rendered, 'NetworkPolicy');
    expect(policies.get('')).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: [{ port: 9464 }] }],
      egress: [
        { ports: [{ port: 53 }, { port: 53 }] },
        {
          to: [{ ipBlock: { cidr: '10.1.0.0/16' } }],
          ports: [{ port: 9092 }, { port: 9093 }, { port: 443 }],
        },
        // The issuer of tokens by its port, the collector of traces by its address, and the operator's own rules.
        { ports: [{ protocol: 'TCP', port: 443 }] },
        { to: [{ ipBlock: { cidr: '10.2.3.4/32' } }], ports: [{ protocol: 'TCP', port: 4318 }] },
        { ports: [{ port: 3128 }] },
      ],
    });
    expect(policies.get('feed-poller')).toMatchObject({ egress: [{ ports: [{ port: 4319 }] }, {}] });
    const { egress } = byComponent(plain, 'NetworkPolicy').get('') as unknown as { egress: unknown[] };
    expect(egress).toHaveLength(2);
    const served = [...policies].filter(([, { ingress }]: [string, { ingress?: unknown }]) => ingress);
    expect(served.map(([name]) => name).sort()).toEqual(['', ...WITH_PORT]);
    expect(byComponent(plain, 'NetworkPolicy').get('')).not.toHaveProperty('ingress');
    expect([...byComponent(rendered, 'Service').keys()].sort()).toEqual(WITH_PORT);
  });

  test.each(['webhook-dispatcher', 'feed-poller', 'tool-gateway'])(
    '%s reaches public addresses only',
    (name) => {
      const policy = JSON.stringify(byComponent(plain, 'NetworkPolicy').get(name));
      for (const range of ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'])
        expect(policy).toContain(`"${range}"`);
    },
  );

  test('restricts the issuer of tokens and the collector of traces to peers', () => {
    const own = ['networkPolicy.tokens', 'networkPolicy.traces'].map(
      (name, at) => `${name}[0].ipBlock.cidr=10.9.${at}.0/24`,
    );
    const policy = byComponent(manifests(template(...ALL, ...own)), 'NetworkPolicy').get('');
    expect(JSON.stringify(policy)).toContain(
      '{"ports":[{"port":443,"protocol":"TCP"}],"to":[{"ipBlock":{"cidr":"10.9.0.0/24"}}]}',
    );
    expect(JSON.stringify(policy)).toContain('"to":[{"ipBlock":{"cidr":"10.9.1.0/24"}}]');
  });

  test('applies scheduling values to all pods, and those of a service to its own', () => {
    const deployments = byComponent(rendered, 'Deployment');
    for (const [name, deployment] of deployments) {
      expect(deployment, name).toMatchObject({
        template: {
          metadata: { annotations: { team: 'sport', 'prometheus.io/port': '9464' } },
          spec: {
            nodeSelector: { disk: 'ssd' },
            tolerations: [{ operator: 'Exists' }],
            priorityClassName: name === 'api' ? 'high' : 'standard',
            containers: [
              {
                resources: {
                  requests: { 'ephemeral-storage': expect.any(String) },
                  limits: { 'ephemeral-storage': expect.any(String) },
                },
              },
            ],
          },
        },
      });
    }
    expect(deployments.get('api')).toMatchObject({
      template: { metadata: { annotations: { owner: 'scores', team: 'sport' } } },
    });
    expect(ofKind('Job')).toMatchObject({
      spec: { template: { spec: { nodeSelector: { disk: 'ssd' }, priorityClassName: 'standard' } } },
    });
  });

  test('gives the Prometheus operator targets and the alert rules of the tree', () => {
    expect(ofKind('PodMonitor')).toMatchObject({
      metadata: { labels: { release: 'prometheus' } },
      spec: {
        selector: { matchLabels: { 'app.kubernetes.io/instance': 'live' } },
        podMetricsEndpoints: [
          { port: 'metrics', scheme: 'https', honorLabels: true, relabelings: [{ targetLabel: 'service' }] },
        ],
      },
    });
    const rules = rulesOf(rendered);
    expect(rules.map(({ alert }) => alert)).toEqual(alerts().map(({ alert }) => alert));
    expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
      alerts().map(({ annotations: { runbook = '' } }) =>
        runbook.replace('docs/', 'https://wiki.example/touchline/'),
      ),
    );
    expect(rules.filter(({ annotations }) => annotations.runbook !== undefined)).toEqual([]);
    const kinds = plain.map(({ kind }) => kind);
    for (const kind of ['PodMonitor', 'PrometheusRule']) expect(kinds).not.toContain(kind);
  });

  test('names a page of the repository in alerts without an address of the docs', () => {
    const bare = template(...NEEDED, 'monitoring.prometheusRule.enabled=true');
    expect(rulesOf(manifests(bare))).toEqual(alerts());
  });

  test('scales processors by their lag when autoscaling is enabled', () => {
    const scaled = byComponent(rendered, 'ScaledObject');
    expect([...scaled.keys()].sort()).toEqual([
      'alert-processor',
      'match-processor',
      'standings-processor',
      'webhook-dispatcher',
    ]);
    expect(scaled.get('match-processor')).toMatchObject({
      scaleTargetRef: { name: 'live-match-processor' },
      minReplicaCount: 2,
      maxReplicaCount: 8,
      triggers: [
        {
          type: 'prometheus',
          metadata: { query: 'sum(touchline_lag_records{service="match-processor",namespace="sport"})' },
        },
      ],
    });
    expect(byComponent(rendered, 'Deployment').get('match-processor')).not.toHaveProperty('replicas');
    expect(byComponent(rendered, 'Deployment').get('api')).toHaveProperty('replicas', 2);
    expect(byComponent(plain, 'ScaledObject').size).toBe(0);
  });

  test.each([
    ['kafka.brokers', [NEEDED[1] ?? '']],
    ['registry.url', [NEEDED[0] ?? '']],
    ['autoscaling.prometheusUrl', [...NEEDED, 'autoscaling.enabled=true']],
  ])('names %s where it is missing', (name, settings) => {
    expect(() => template(...settings)).toThrow(name);
  });

  test('prefers a digest to a tag', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    expect(template(...NEEDED, `image.digest=${digest}`)).toContain(`image: touchline@${digest}\n`);
  });

  test('passes helm lint', () => {
    expect(spawnSync('helm', ['lint', '--strict', CHART, ...setArgs(NEEDED)]).status).toBe(0);
  });
});

test.skipIf(!hasKubeconform)('matches the Kubernetes schemas (needs kubeconform)', () => {
  const location = `${SCHEMAS}/{{ .ResourceKind }}{{ .KindSuffix }}.json`;
  // Kubernetes has no schemas for KEDA and the Prometheus operator. One worker, because each compiles all schemas.
  const others = ['ScaledObject', 'PodMonitor', 'PrometheusRule'];
  const args = ['-strict', '-summary', '-n', '1', '-skip', others.join(','), '-schema-location', location];
  const input = `${template(...NEEDED)}\n${template(...ALL)}`;
  const { status, stdout } = spawnSync('kubeconform', args, { input, encoding: 'utf8' });
  const expected = manifests(input).filter(({ kind }) => !others.includes(kind)).length;
  expect([status, stdout]).toEqual([
    0,
    expect.stringContaining(`Valid: ${expected}, Invalid: 0, Errors: 0, Skipped: 6\n`),
  ]);
});
