import type { Plugin } from 'rolldown';

export declare function compiledMetaSchema(root: string): Plugin;
