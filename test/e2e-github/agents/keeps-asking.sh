# Wants its value and nothing else.
echo begun > work.txt
if [ -z "$AUTOBUILD_INPUT_COLOUR" ]; then ask colour Colour; fi
echo "$AUTOBUILD_INPUT_COLOUR" > done.txt
report implemented 'Made it'
