/** Runs the conformance suite of a real broker against the model of the cluster: see test/support/conformance.ts. */
import { afterAll } from 'vitest';
import { describeStreamClient } from '../support/conformance.ts';
import { RemoteCluster } from './conformance/remote-cluster.ts';

const cluster = new RemoteCluster(Number(process.env.SEED ?? 1));
afterAll(() => cluster.close());

describeStreamClient(cluster);
