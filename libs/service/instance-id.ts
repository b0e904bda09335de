import { hostname } from 'node:os';

const MOST_OF_HOST = 200;

/**
 * The name of a process in its groups (KIP-345): what is given as GROUP_INSTANCE_ID, else its host and service. In a container
 * the host is the container or the pod, so that only what is started again in the same one has the same name.
 */
export function instanceId(service: string, given = ''): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, MOST_OF_HOST);
  return given === '' ? `${host}-${service}` : given;
}
