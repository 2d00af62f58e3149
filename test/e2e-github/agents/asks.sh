# Needs a value, and takes any other answer as well.
echo begun > work.txt
if [ -z "$AUTOBUILD_INPUT_COLOUR" ] && ! answered; then ask colour Colour; fi
echo "${AUTOBUILD_INPUT_COLOUR:-none}" > done.txt
report implemented 'Made it'
