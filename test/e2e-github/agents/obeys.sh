# Makes a file; in a round, adds a line to it and says of the first 200 remarks that they are fixed, also of those that are not there.
if grep -q '"round": {' "$AUTOBUILD_CONTEXT"; then
  echo more >> pay.txt
  report implemented 'Added a line' ",\"remarks\":[$(seq -s, 1 200 | sed 's/[0-9]\+/{"id":"R&","result":"fixed"}/g')]"
else
  printf 'first\nsecond\nthird\n' > pay.txt
  echo made > done.txt
  report implemented 'Made it'
fi
