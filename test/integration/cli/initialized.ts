import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { backbone, type TestBackbone } from '../../setup/backbone.ts';
import { placeEnv } from '../../support/environment.ts';

/** A place with every topic and schema, and the settings that lead to it. */
export async function initializedCluster(): Promise<{ place: TestBackbone; env: Record<string, string> }> {
  const place = backbone();
  const { brokers, registryUrl, prefix } = place;
  await createTopics({ brokers, prefix, partitions: 2 });
  await Registry.open({ url: registryUrl, prefix }).registerAll();
  return { place, env: placeEnv(place) };
}
