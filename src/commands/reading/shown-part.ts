/** A text without the parts that its renderer does not show, and their number. */
export interface ShownPart {
  text: string;
  hidden: number;
}
