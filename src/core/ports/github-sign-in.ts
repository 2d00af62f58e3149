/** Signing in with GitHub, by the App's own OAuth client. */
export interface GitHubSignIn {
  /** The address on GitHub to send the person to. */
  authorizeUrl(request: { state: string; challenge: string; redirect: string }): string;
  /** The login of the person who came back with this code. Undefined if GitHub does not accept the code. */
  exchange(answer: { code: string; verifier: string; redirect: string }): Promise<string | undefined>;
  /** The login of a user token that this App issued. Undefined for any other token. */
  checkToken(token: string): Promise<string | undefined>;
}
