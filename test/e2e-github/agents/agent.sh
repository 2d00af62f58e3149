# Plays the agent that the issue names in a line of its own: "agent: NAME".
name=$(sed -n 's/.*agent: \([a-z-]*\).*/\1/p' "$AUTOBUILD_PROMPT" | head -n 1)
report() { printf '{"status":"%s","summary":"%s"%s}' "$1" "$2" "$3" > "$AUTOBUILD_REPORT"; }
debugging() { grep -q '"kind": "debug"' "$AUTOBUILD_CONTEXT"; }
answered() { ! grep -q '"answers": \[\]' "$AUTOBUILD_CONTEXT"; }
ask() {
  printf '<<<NEED_HELP>>>\nwhat_i_tried: |\n  Looked everywhere.\nwhat_i_need: |\n  A value.\ninputs:\n  - key: %s\n    label: %s\n%s<<<END_HELP>>>\n' "$1" "$2" "$3"
  # Frozen here, and ended when the job parks.
  sleep 120
}
. "$(dirname "$0")/$name.sh"
