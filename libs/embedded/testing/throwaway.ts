import type { StartedTestContainer } from 'testcontainers';
import { readyClusterId } from '#cluster/access.ts';
import { reasonOf } from '#errors/touchline-error.ts';
import { poll } from '#timing/poll.ts';
import type { Containers } from '../backbone.ts';
import { freePort } from '../ports.ts';
import { CONFLUENT_API, EmbeddedError, LONE_BROKER, registryEnvironment } from '../settings.ts';
import { KAFKA_IMAGE, kafkaVariable, REGISTRY_IMAGE } from './settings.ts';

const CLIENT_PORT = 9092;
const NETWORK_PORT = 19_092;
const CONTROLLER_PORT = 29_093;
const REGISTRY_PORT = 8080;
const START_TIMEOUT_MS = 180_000;

/**
 * Starts a broker and a registry in disposable containers with testcontainers, whose helper container removes them when this
 * process is killed. Throws DOCKER_FAILED.
 */
export async function startThrowaway(): Promise<Containers> {
  // Loaded only if Docker runs.
  const { GenericContainer, getContainerRuntimeClient, Network, Wait } = await import('testcontainers');
  const started: { stop(): Promise<unknown> }[] = [];
  const stop = async () => {
    for (const each of started.toReversed()) await each.stop();
  };
  try {
    const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
    const network = await new Network().start();
    started.push(network);
    // The broker advertises its address, so the port on this machine must be known before it starts.
    const port = await freePort();
    const kafka = await new GenericContainer(KAFKA_IMAGE)
      .withNetwork(network)
      .withNetworkAliases('kafka')
      .withExposedPorts({ container: CLIENT_PORT, host: port })
      .withEnvironment(brokerEnvironment(`${host}:${port}`))
      .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
      .withStartupTimeout(START_TIMEOUT_MS)
      .start();
    started.push(kafka);
    if (
      !(await poll(async () => (await readyClusterId([`${host}:${port}`])) !== null, { timeoutMs: 60_000 }))
    ) {
      throw new Error(`the broker in the container does not answer at ${host}:${port}`);
    }
    const registry: StartedTestContainer = await new GenericContainer(REGISTRY_IMAGE)
      .withNetwork(network)
      .withExposedPorts(REGISTRY_PORT)
      .withEnvironment(registryEnvironment([`kafka:${NETWORK_PORT}`]))
      .withWaitStrategy(Wait.forHttp('/health/ready', REGISTRY_PORT).forStatusCode(200))
      .withStartupTimeout(START_TIMEOUT_MS)
      .start();
    started.push(registry);
    const address = `${registry.getHost()}:${registry.getMappedPort(REGISTRY_PORT)}`;
    return { brokers: [`${host}:${port}`], registryUrl: `http://${address}${CONFLUENT_API}`, stop };
  } catch (cause) {
    await stop().catch(() => {});
    throw new EmbeddedError(
      'DOCKER_FAILED',
      `the containers could not be started: ${reasonOf(cause)}`,
      cause,
    );
  }
}

/** Returns the variables of a broker with listeners for clients on this machine, for other containers, and for the controller. */
function brokerEnvironment(clients: string): Record<string, string> {
  const settings = {
    ...LONE_BROKER,
    listeners: `HOST://:${CLIENT_PORT},NETWORK://:${NETWORK_PORT},CONTROLLER://:${CONTROLLER_PORT}`,
    'advertised.listeners': `HOST://${clients},NETWORK://kafka:${NETWORK_PORT}`,
    'listener.security.protocol.map': 'HOST:PLAINTEXT,NETWORK:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'NETWORK',
    'controller.quorum.voters': `1@localhost:${CONTROLLER_PORT}`,
  };
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [kafkaVariable(key), value]));
}
