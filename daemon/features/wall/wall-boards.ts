/** The board lookups that the Wall needs. They find nothing in a cluster whose boards are turned off. */
export interface WallBoards {
  findBoard(clusterId: string, slug: string): unknown;
  hasPost(clusterId: string, postId: string): boolean;
}
