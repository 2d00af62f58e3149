# Ends the same way every time, until it is told something.
if debugging; then
  report partial 'Looked for the cause' ',"root_cause_found":true,"root_cause":"it was always the same way"'
elif answered; then
  echo made > done.txt
  report implemented 'Another way'
else
  date +%N > attempt.txt
  report partial 'The same way'
fi
