export function installPackages(root: string, nodeApi?: number): void;
