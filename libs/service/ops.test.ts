import { Counter, Gauge } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';
import { type Ops, opsAnswer, startOps } from './ops.ts';
import { serviceVersion } from './version.ts';

const version = serviceVersion();
const open: Ops[] = [];
afterEach(async () => {
  for (const ops of open.splice(0)) await ops.close();
});

async function start(ready: () => boolean = () => true) {
  const metrics = createMetrics('tester');
  const ops = await startOps({ port: 0, host: '127.0.0.1', metrics, ready });
  open.push(ops);
  const get = async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${ops.port}${path}`, { method });
    return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() };
  };
  return { metrics, get, ops };
}

test('serves the metrics of the process with its name as a label', async () => {
  const { metrics, get } = await start();
  new Counter({ name: 'goals_total', help: 'Goals.', registers: [metrics] }).inc(3);
  const { status, type, body } = await get('/metrics?x=1');
  expect(status).toBe(200);
  expect(type).toContain('text/plain; version=0.0.4');
  expect(body).toContain('goals_total{service="tester"} 3');
  expect(body).toContain('process_cpu_seconds_total{service="tester"}');
  expect(body).toContain(`touchline_build_info{version="${version}",service="tester"} 1`);
});

test('is live at once, and ready when the service is', async () => {
  let ready = false;
  const { get } = await start(() => ready);
  const body = `{"version":"${version}","live":true,"ready":false}\n`;
  expect(await get('/health')).toEqual({ status: 200, type: 'application/json', body });
  expect(await get('/health/live')).toMatchObject({ status: 200, body: 'live\n' });
  expect(await get('/health/ready')).toMatchObject({ status: 503, body: 'not ready\n' });
  ready = true;
  expect(await get('/health/ready')).toMatchObject({ status: 200, body: 'ready\n' });
  expect(JSON.parse((await get('/health')).body)).toMatchObject({ ready: true });
});

test('serves no other path, and at no other address', async () => {
  const { get, ops } = await start();
  expect((await get('/')).status).toBe(404);
  expect((await get('/metrics', 'POST')).status).toBe(405);
  await expect(fetch(`http://127.0.0.2:${ops.port}/health/live`)).rejects.toThrow();
});

test('reports a failure of the metrics to its process, not to the client', async () => {
  const metrics = createMetrics('tester');
  const collect = (): never => {
    throw new Error('the password is swordfish');
  };
  metrics.registerMetric(new Gauge({ name: 'broken', help: 'x', registers: [], collect }));
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error);
  const answer = await opsAnswer('/metrics', { metrics, ready: () => true, onFailure });
  expect(answer).toMatchObject({ status: 500, body: 'metrics failed\n' });
  expect(String(failures)).toContain('swordfish');
});

test('names a port that is not available', async () => {
  const { port } = (await start()).ops;
  const options = { port, host: '127.0.0.1', metrics: createMetrics('x'), ready: () => true };
  await expect(startOps(options)).rejects.toMatchObject({
    code: 'OPS_LISTEN_FAILED',
    message: expect.stringContaining(`METRICS_PORT ${port} of METRICS_HOST 127.0.0.1`),
  });
});
