export const mapKey = ['map'] as const;
