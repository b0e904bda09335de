/** Starts an embedded broker and registry in a folder, prints their addresses and runs until it is killed. */
import { startBackbone } from '#embedded/backbone.ts';

const [dataDir = ''] = process.argv.slice(2);
const { brokers, registryUrl } = await startBackbone({ dataDir, env: process.env, onProgress: () => {} });
process.stdout.write(`KAFKA_BROKERS=${brokers.join(',')}\nSCHEMA_REGISTRY_URL=${registryUrl}\n`);
setInterval(() => {}, 60_000);
