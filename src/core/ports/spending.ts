/** The dollars that the agents of a repository reported, by month. */
export interface Spending {
  /** `month` is `2026-11`, in UTC. */
  inMonth(repoId: number, month: string): Promise<number>;
}
