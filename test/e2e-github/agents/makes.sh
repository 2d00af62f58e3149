# Does what it was asked for.
echo made > done.txt
report implemented 'Made it'
