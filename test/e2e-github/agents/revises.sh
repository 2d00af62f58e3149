# Makes a file of four lines; in a round, does what the remarks ask for, all but the second.
if grep -q '"round": {' "$AUTOBUILD_CONTEXT"; then
  sed -i 's/^first$/FIRST/; s/^third$/THIRD/' pay.txt
  report implemented 'Did what the reviewer asked for' ',"remarks":[
    {"id":"R1","result":"fixed","note":"It is in capitals now."},
    {"id":"R2","result":"declined","note":"`second` is used elsewhere."},
    {"id":"R3","result":"fixed"},
    {"id":"R4","result":"fixed"}]'
else
  printf 'first\nsecond\nthird\nfourth\n' > pay.txt
  echo made > done.txt
  report implemented 'Made it'
fi
