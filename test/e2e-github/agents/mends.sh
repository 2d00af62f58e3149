# Makes a file; in a round about CI, does what its log says; in any other, adds a line.
if grep -q 'Expected "Paid"' "$AUTOBUILD_PROMPT"; then
  echo Paid > state.txt
  report implemented 'Shows the payment'
elif grep -q '"round": {' "$AUTOBUILD_CONTEXT"; then
  echo more >> state.txt
  report implemented 'Added a line'
else
  echo made > done.txt
  echo Pending > state.txt
  report implemented 'Made it'
fi
