import {
  type Acl,
  AclOperations,
  AclPermissionTypes,
  ResourcePatternTypes,
  ResourceTypes,
} from '@platformatic/kafka';
import type { Right } from '#topics/acls.ts';
import { withAdmin } from './admin.ts';

const RESOURCES = {
  Topic: ResourceTypes.TOPIC,
  Group: ResourceTypes.GROUP,
  TransactionalId: ResourceTypes.TRANSACTIONAL_ID,
};

const OPERATIONS = {
  Read: AclOperations.READ,
  Write: AclOperations.WRITE,
  DescribeConfigs: AclOperations.DESCRIBE_CONFIGS,
};

/** Grants rights to a user. `brokers` must be addresses whose connections may change access control lists. */
export async function grant(
  brokers: readonly string[],
  user: string,
  rights: readonly Right[],
): Promise<void> {
  await withAdmin(brokers, (admin) =>
    admin.createAcls({ creations: rights.map((right) => entryOf(user, right)) }),
  );
}

export async function without(
  brokers: readonly string[],
  user: string,
  right: Right,
  work: () => Promise<void>,
): Promise<void> {
  await withAdmin(brokers, (admin) => admin.deleteAcls({ filters: [entryOf(user, right)] }));
  await work();
  await grant(brokers, user, [right]);
}

function entryOf(user: string, { operation, resource, name, pattern }: Right): Acl {
  return {
    principal: `User:${user}`,
    host: '*',
    permissionType: AclPermissionTypes.ALLOW,
    operation: OPERATIONS[operation],
    resourceType: RESOURCES[resource],
    resourceName: name,
    resourcePatternType: pattern === 'Literal' ? ResourcePatternTypes.LITERAL : ResourcePatternTypes.PREFIXED,
  };
}
