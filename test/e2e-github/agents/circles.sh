# Ends the same way every time, until it is told to try something else.
if answered; then
  echo made > done.txt
  report implemented 'Another way'
else
  date +%N > attempt.txt
  report partial 'The same way'
fi
