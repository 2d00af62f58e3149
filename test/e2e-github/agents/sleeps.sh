# Takes its time.
echo begun > work.txt
sleep 120
