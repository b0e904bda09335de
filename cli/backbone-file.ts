/** The files by which the command line and a `touchline up` of the same data folder find each other. */
import { join } from 'node:path';
import { ownedFile } from './owned-file.ts';

type BackboneAddress = {
  readonly brokers: readonly string[];
  readonly registryUrl: string;
  readonly topicPrefix: string;
};

/** Returns access to the address of the broker and registry of a running `touchline up`, which starts, runs or stops. */
export function backboneFile(dataDir: string) {
  return ownedFile<BackboneAddress>(join(dataDir, 'backbone.json'));
}

/** Returns access to the services that `touchline up` stops for as long as the command that wrote the file runs. */
export function pausedServicesFile(dataDir: string) {
  return ownedFile<{ readonly services: readonly string[] }>(join(dataDir, 'paused-services.json'));
}
