export const roadmapKey = ['roadmap'] as const;
