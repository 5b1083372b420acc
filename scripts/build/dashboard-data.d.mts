export const DATA_SOURCES: readonly string[];
export function writeDashboardData(folder: string): Promise<void>;
