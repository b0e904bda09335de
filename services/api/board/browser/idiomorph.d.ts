/** The module of the package, which `assets.ts` serves beside the scripts. */
export { Idiomorph } from 'idiomorph';
