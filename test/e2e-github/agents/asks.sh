# Needs a value, and takes any other answer as well.
if debugging; then
  report partial 'Looked for the cause' ',"root_cause_found":true,"root_cause":"nobody named a colour"'
  exit
fi
echo begun > work.txt
if [ -z "$AUTOBUILD_INPUT_COLOUR" ] && ! answered; then ask colour Colour; fi
echo "${AUTOBUILD_INPUT_COLOUR:-none}" > done.txt
report implemented 'Made it'
