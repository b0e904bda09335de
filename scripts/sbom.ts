/** Writes the bill of materials of production packages (CycloneDX) to standard output: `npm run --silent sbom`. */
import { spawnSync } from 'node:child_process';

type Component = {
  readonly 'bom-ref': string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
};

/** The part of CycloneDX that this script reads. */
export type Sbom = {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

const DEVELOPMENT = 'cdx:npm:package:development';

/**
 * Removes the packages that only development needs. `npm sbom --omit dev` also removes those that both need (npm 11).
 */
export function production<S extends Sbom>(sbom: S): S {
  const left = sbom.components.filter(({ properties = [] }) =>
    properties.some(({ name }) => name === DEVELOPMENT),
  );
  const leftOut = new Set(left.map((of) => of['bom-ref']));
  return {
    ...sbom,
    components: sbom.components.filter((of) => !leftOut.has(of['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => !leftOut.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((of) => !leftOut.has(of)) })),
  };
}

if (import.meta.main) {
  const args = ['sbom', '--sbom-format', 'cyclonedx'];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) console.log(JSON.stringify(production(JSON.parse(stdout)), null, 2));
  else {
    console.error(stderr);
    process.exitCode = 1;
  }
}
