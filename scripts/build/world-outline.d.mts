export function drawWorld(): { width: number; height: number; sphere: string; land: string };
