/** A mistake in the workflow or the repository. It is shown with its remedy and without a stack. */
export class ActionError extends Error {
  override readonly name = 'ActionError';
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}
