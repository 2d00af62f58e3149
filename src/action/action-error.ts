/** Something in the workflow or the repository keeps the job from working: told with its remedy, without a stack. */
export class ActionError extends Error {
  override readonly name = 'ActionError';
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}
