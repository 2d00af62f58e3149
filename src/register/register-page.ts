interface RegisterPage {
  /** GitHub's page, which the form is sent to. */
  action: string;
  manifest: object;
  name: string;
}

/** The page with the button. Without a script, because a form needs none. */
export function renderRegisterPage({ action, manifest, name }: RegisterPage): string {
  const host = new URL(action).host;
  return renderPage(
    'Register the GitHub App',
    `<p>The button leads to ${escapeHtml(host)}, which shows the name <b>${escapeHtml(name)}</b> to confirm or to change. GitHub leads back here afterwards.</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="manifest" value="${escapeHtml(JSON.stringify(manifest))}">
<button>Register on ${escapeHtml(host)}</button>
</form>`,
  );
}

/** A page with a title and some HTML, which has to be escaped already. */
export function renderPage(title: string, html: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Autobuild: ${escapeHtml(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}</style></head>
<body><h1>${escapeHtml(title)}</h1>
${html}
</body></html>
`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
