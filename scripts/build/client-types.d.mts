export function clientTypes(root: string): Promise<string>;
