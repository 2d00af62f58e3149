# Needs a key, prints it, and leaves its length in a file.
if [ -z "$AUTOBUILD_INPUT_API_KEY" ]; then ask api_key 'Key of the shop' '    secret: true
'; fi
echo "the key is $AUTOBUILD_INPUT_API_KEY"
printf '%s' "$AUTOBUILD_INPUT_API_KEY" | wc -c > done.txt
report implemented "Used the key $AUTOBUILD_INPUT_API_KEY"
