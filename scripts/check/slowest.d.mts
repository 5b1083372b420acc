export declare function listSlowest(unit: unknown, browser: unknown, root: string, count?: number): string[];
