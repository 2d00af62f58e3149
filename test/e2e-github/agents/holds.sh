# Waits for its value where it stands, and says by its own number that it is still the same process.
echo "$$" >> processes.txt
if [ -z "$AUTOBUILD_INPUT_COLOUR" ]; then
  printf '<<<NEED_HELP>>>\nwhat_i_tried: |\n  Looked everywhere.\nwhat_i_need: |\n  A value.\ninputs:\n  - key: colour\n    label: Colour\n<<<END_HELP>>>\n'
  while ! grep -q '"colour":' "$AUTOBUILD_INPUTS" 2>/dev/null; do sleep 0.1; done
fi
sed 's/.*"colour": *"\([a-z]*\)".*/\1/;t;d' "$AUTOBUILD_INPUTS" > done.txt
report implemented 'Made it'
