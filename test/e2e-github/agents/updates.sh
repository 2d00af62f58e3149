# Writes its line into a file that others change, too; in an update, keeps the lines of both sides.
echo 'the agent is at work'
if grep -q '"update": {' "$AUTOBUILD_CONTEXT"; then
  grep -q 'Main says hello' "$AUTOBUILD_PROMPT" || exit 1
  sed -i '/^<<<<<<< /d; /^||||||| /,/^=======$/d; /^>>>>>>> /d' shared.txt
  report implemented 'Kept the lines of both sides'
else
  echo 'by the agent' >> shared.txt
  echo made > done.txt
  report implemented 'Made it'
fi
