# Gives up with a report, and makes something when it is told to.
echo begun > work.txt
if answered; then
  echo made > done.txt
  report implemented 'Made it'
else
  report blocked 'The till does not answer' ',"blocked_report":{"blocking_issues":[{"issue":"The till does not answer","category":"external_dependency","details":"Every request ends after 30 s"}],"attempts_made":[{"turn":1,"action":"Asked the till","result":"Timeout"}],"suggested_alternatives":["Use the till of the test shop"],"human_action_required":"Open the till"}'
fi
