import type { Plugin } from 'rolldown';

export declare function lazyData(id: RegExp): Plugin;
