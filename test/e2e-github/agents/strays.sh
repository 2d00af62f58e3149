# Changes a file the task does not name.
echo made > done.txt
echo more > other.txt
report implemented 'Made it, with another file'
# Whoever watches has time to look before the turn ends.
sleep 1
